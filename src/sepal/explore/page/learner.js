// @ts-check
// The choice of a learner with its parameters as a form; Classify and Predict share it.
import { choice, el, field, fill } from "./element.js";
import { makeForm } from "./form.js";
import { parameterTable } from "./state.js";

/**
 * @param {import("./state.js").Summary} summary
 * @param {{learner: string, settings: Record<string, any>}} now changed in place
 * @param {() => void} changed
 */
export function learnerPart(summary, now, changed) {
  const task = summary.classes ? "classify" : "regress";
  const learners = Object.entries(parameterTable?.learners ?? {}).filter(([, each]) => each.task === task || each.task === "both");
  if (!learners.some(([name]) => name === now.learner)) Object.assign(now, { learner: learners[0]?.[0] ?? "auto", settings: {} });
  const place = el("div");
  const help = el("p", { class: "small soft" });
  const more = el("details", {}, el("summary", {}, "Parameters"), place);
  const list = () => {
    const entry = parameterTable?.learners[now.learner];
    help.textContent = entry?.help ?? "";
    const table = (entry?.parameters ?? []).filter((each) => each.role === null && (each.kind !== "other" || each.choices?.length));
    const form = makeForm(table, now.settings, (values) => {
      now.settings = Object.fromEntries(table.filter((each) => JSON.stringify(values[each.name]) !== JSON.stringify(each.default)).map((each) => [each.name, values[each.name]]));
      changed();
    });
    more.hidden = table.length === 0;
    fill(place, form.root);
  };
  const select = choice(learners.map(([name]) => [name, name]), now.learner, (value) => {
    now.learner = value;
    now.settings = {};
    list();
    changed();
  }, { id: "learner" });
  list();
  if (Object.keys(now.settings).length) more.open = true;
  return el("div", {}, el("div", { class: "tools" }, field("learner", select), help), more);
}

/** Settings in a few words: k=3, weights=distance. @param {Record<string, any>} settings */
export const settingsText = (settings) => Object.entries(settings ?? {}).map(([name, value]) => `${name}=${typeof value === "object" ? JSON.stringify(value) : value}`).join(", ");
