// @ts-check
// Classify: any learner, a test as in Weka, Start; runs stay in a list and can be compared.
import { button, choice, el, field, fill } from "../element.js";
import { counted, number, percent } from "../format.js";
import { valueOf } from "../form.js";
import { learnerPart, settingsText } from "../learner.js";
import { makeRunner } from "../runner.js";
import { ifKept, soon } from "../server.js";
import { defaultsOf, doneWith, otherRows, parametersOf, remember } from "../state.js";
import { makeTable } from "../table.js";
import { say } from "../toast.js";
import { resultOf } from "./classify_result.js";

/** @typedef {import("../main.js").Place} Place */
/** @typedef {{parameters: Record<string, any>, answer: import("../server.js").Answer | null}} Run */

const MODES = [["cv", "cross-validation"], ["loo", "leave-one-out"], ["split", "percentage split"], ["test", "supplied test file"]];

/** @param {Record<string, any>} parameters */
export function runName(parameters) {
  const settings = settingsText(parameters.settings);
  const mode = { cv: `${parameters.cv}-fold`, loo: "leave-one-out", split: `${parameters.percent} % split`, test: "test file" }[/** @type {string} */ (parameters.mode)];
  return `${parameters.learner}${settings ? ` (${settings})` : ""}, ${mode}, seed ${parameters.seed}`;
}

/** @param {Place} place */
export function show(place) {
  const { root, view, summary, query } = place;
  if (summary.classes && summary.classes.length < 2) {
    fill(root, el("h1", {}, "Classify"), el("div", { class: "empty" }, el("p", {}, "All rows are of one class: every learner would be right, and none would know anything.")));
    return;
  }
  place.showing("the runs so far");
  const now = { ...defaultsOf("classify.run"), learner: "auto", settings: /** @type {Record<string, any>} */ ({}), mode: "cv", cv: Math.min(10, summary.n_rows) };
  const runs = /** @type {Run[]} */ (doneWith(view).filter((each) => each.action === "classify.run").map((each) => ({ parameters: each.parameters, answer: null })));
  const list = el("div");
  const result = el("div");
  const compared = el("div");
  const runner = makeRunner({
    action: "classify.run", view, parameters: () => ({ ...now }), many: true, label: "Start",
    show: (answer) => {
      const name = runName(answer.parameters);
      const old = runs.findIndex((run) => runName(run.parameters) === name);
      if (old >= 0) runs.splice(old, 1);
      runs.unshift({ parameters: answer.parameters, answer });
      drawList(0);
    },
  });

  /** @type {Run | null} */
  let opened = null; // the run that was chosen last: an answer that comes late for another is not shown

  /** @param {number} at */
  const open = async (at) => {
    const run = runs[at];
    opened = run;
    run.answer ??= await ifKept("classify.run", view, run.parameters);
    if (!place.alive() || opened !== run) return;
    if (!run.answer) {
      fill(result, el("div", { class: "empty" }, el("p", {}, "This run was made before, but this server does not have its answer."), button("Work it out", () => runner.run(run.parameters))));
      return;
    }
    remember(view, "classify.run", run.parameters);
    place.keep({ ...query, run: runName(run.parameters) });
    fill(result, resultOf(place, run.answer));
  };

  /** @param {number} chosen */
  const drawList = (chosen) => {
    if (runs.length === 0) {
      fill(list, el("div", { class: "empty" }, el("p", {}, "No run yet. Press Start.")));
      return;
    }
    const boxes = runs.map(() => el("input", { type: "checkbox", "aria-label": "compare this run" }));
    const buttons = runs.map((run, i) => button(runName(run.parameters), () => mark(i), { class: "plain" }));
    /** @param {number} i */
    const mark = (i) => {
      buttons.forEach((each, j) => each.setAttribute("aria-pressed", String(i === j)));
      open(i);
    };
    fill(list, el("ul", { class: "sets runs" }, runs.map((run, i) => el("li", {}, el("label", {}, boxes[i], el("b", { class: "number" }, run.answer ? scoreOf(run.answer.result) : "")), buttons[i]))),
      runs.length > 1 ? button("Compare the ticked runs", () => compare(runs.filter((_, i) => boxes[i].checked))) : null);
    if (chosen >= 0) mark(chosen);
  };

  /** @param {Run[]} ticked */
  const compare = async (ticked) => {
    if (ticked.length < 2) {
      say("Tick two runs or more.");
      return;
    }
    try {
      const answer = await soon("classify.compare", view, { runs: ticked.map((run) => run.parameters) });
      remember(view, "classify.compare", answer.parameters);
      fill(compared, comparison(answer.result));
    } catch (error) {
      say(error instanceof Error ? error.message : String(error), { bad: true });
    }
  };

  fill(root, el("h1", {}, "Classify"),
    el("p", { class: "lead" }, "How well are rows answered that were not seen in training? Whatever a learner selects or scales is done inside the folds."),
    learnerPart(summary, now, () => runner.check()),
    modePart(now, view.data),
    runner.root, el("div", { class: "two runs-and-result" }, el("section", { "aria-label": "Result" }, result), el("section", { "aria-label": "Runs" }, el("h2", {}, "Runs"), list, compared)));
  const wanted = runs.findIndex((run) => runName(run.parameters) === query.run);
  drawList(wanted >= 0 ? wanted : runs.length ? 0 : -1);
  runner.resume();
}

/** @param {any} result */
const scoreOf = (result) => (result.accuracy === undefined ? number(result.errors?.mae) : percent(result.accuracy));

/** @param {Record<string, any>} now @param {string} data */
function modePart(now, data) {
  const table = Object.fromEntries(parametersOf("classify.run").map((each) => [each.name, each]));
  /** @param {string} name @param {string} label */
  const numberField = (name, label) => {
    const input = el("input", { type: "number", value: String(now[name]), title: table[name]?.help ?? null, oninput: () => {
      const value = table[name] ? valueOf(table[name], input.value) : Number(input.value);
      input.setAttribute("aria-invalid", String(value === undefined));
      if (value !== undefined) now[name] = value;
    } });
    return field(label, input);
  };
  const files = otherRows(data);
  now.test = null;
  const extra = el("span", { class: "tools" });
  const choose = () => {
    if (now.mode !== "test") now.test = null;
    if (now.mode === "cv") fill(extra, numberField("cv", "folds"), numberField("seed", "seed"));
    else if (now.mode === "split") fill(extra, numberField("percent", "% for training"), numberField("seed", "seed"));
    else if (now.mode === "loo") fill(extra, numberField("seed", "seed"));
    else if (files.length === 0) fill(extra, el("span", { class: "soft" }, "Open the test file on the start page first."));
    else {
      now.test ??= files[0].data;
      fill(extra, field("test file", choice(files.map((/** @type {any} */ each) => [each.data, each.name ?? each.data]), now.test, (value) => (now.test = value))));
    }
  };
  choose();
  return el("div", { class: "tools" }, field("test", choice(/** @type {[string, string][]} */ (MODES), now.mode, (value) => (now.mode = value, choose()), { id: "mode" })), extra);
}

/** @param {any} result */
function comparison(result) {
  const { names, pairs } = result;
  const said = (/** @type {any} */ at) => (typeof at === "number" ? names[at] : at);
  return el("section", {}, el("h3", {}, `Comparison of ${counted(names.length, "run")}`),
    makeTable({ name: "comparison of runs", wrap: true, columns: [
      { title: "first", values: pairs.map((/** @type {any} */ each) => said(each.first)) },
      { title: "second", values: pairs.map((/** @type {any} */ each) => said(each.second)) },
      { title: `difference of ${result.measure}`, values: pairs.map((/** @type {any} */ each) => each.difference), digits: 4 },
      { title: "p, corrected t test", values: pairs.map((/** @type {any} */ each) => each.t_p ?? NaN), digits: 3 },
      { title: "only first right", values: pairs.map((/** @type {any} */ each) => each.only_first ?? NaN) },
      { title: "only second right", values: pairs.map((/** @type {any} */ each) => each.only_second ?? NaN) },
      { title: "p, McNemar", values: pairs.map((/** @type {any} */ each) => each.mcnemar_p ?? NaN), digits: 3 },
    ] }).root);
}
