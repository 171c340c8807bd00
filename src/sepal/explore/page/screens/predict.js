// @ts-check
// Predict: one row typed in, or a file of many; probabilities, and why.
import { button, choice, el, field, fill } from "../element.js";
import { className, count, number, percent } from "../format.js";
import { learnerPart } from "../learner.js";
import { makeRunner } from "../runner.js";
import { ask, flat, upload } from "../server.js";
import { defaultsOf, doneWith, offered, otherRows, refreshOffered, renamed } from "../state.js";
import { makeTable } from "../table.js";
import { say } from "../toast.js";
import { asNeighbors, neighborPanel } from "./neighbor_panel.js";

/** @typedef {import("../main.js").Place} Place */

/** Of a wide table so many columns are shown at first; the search finds the others. */
const FIRST = 24;

/** @param {Place} place */
export function show(place) {
  const { root, view, summary } = place;
  if (summary.classes && summary.classes.length < 2) {
    fill(root, el("h1", {}, "Predict"), el("div", { class: "empty" }, el("p", {}, "All rows are of one class: there is only one answer."), el("p", {}, "Choose another class column at the top.")));
    return;
  }
  place.showing("the last answers");
  const last = doneWith(view).findLast((each) => each.action.startsWith("predict."))?.parameters ?? {};
  const now = { learner: last.learner ?? "auto", settings: last.settings ?? {} };
  /** @type {(() => void)[]} */
  const checks = [];
  const learner = learnerPart(summary, now, () => checks.forEach((check) => check()));
  const one = onePart(place, now, last.cells ?? {});
  const many = manyPart(place, now);
  checks.push(one.check, many.check);
  fill(root, el("h1", {}, "Predict"), el("p", { class: "lead" }, `${summary.target} of new rows, by a learner that has seen all ${count(summary.n_rows)} rows.`),
    learner, el("h2", {}, "One row"), one.root, el("h2", {}, "A file of rows"), many.root);
}

/** @param {Place} place @param {{learner: string, settings: any}} now @param {Record<string, any>} before */
function onePart(place, now, before) {
  const { view, summary } = place;
  /** @type {Map<string, HTMLInputElement | HTMLSelectElement>} */
  const inputs = new Map();
  const form = el("div", { class: "form" });
  for (const column of summary.columns) {
    const levels = column.levels ?? null;
    const input = levels && !column.edges
      ? choice([["", "missing"], ...levels.map((/** @type {any} */ level) => [String(level), String(level)])], String(before[column.name] ?? ""), () => runner.check())
      : el("input", { type: "text", inputmode: "decimal", value: before[column.name] ?? "", placeholder: column.edges ? `${number(column.low)} to ${number(column.high)}` : "", autocomplete: "off", oninput: () => runner.check() });
    inputs.set(column.name, input);
    form.append(field(column.name, input));
  }
  const find = el("input", { type: "search", placeholder: "part of a name", "aria-label": "Find columns", oninput: () => list() });
  let all = summary.columns.length <= FIRST + 12;
  const more = el("p", { class: "soft" }, `The first ${FIRST} of ${summary.columns.length} columns; cells that are not shown keep what was copied. `, button(`Show all ${summary.columns.length}`, () => (all = true, list())));
  const list = () => {
    const wanted = find.value.toLowerCase();
    summary.columns.forEach((column, i) => (/** @type {HTMLElement} */ (form.children[i]).hidden = !(wanted ? column.name.toLowerCase().includes(wanted) : all || i < FIRST)));
    more.hidden = all || wanted !== "";
  };
  list();
  const cells = () => Object.fromEntries([...inputs].map(([name, input]) => [name, input.value.trim() === "" ? null : summary.columns.find((column) => column.name === name)?.edges && Number.isFinite(Number(input.value)) ? Number(input.value) : input.value]));
  const answer = el("div", { "aria-live": "polite" });
  const runner = makeRunner({
    action: "predict.row", view, parameters: () => ({ ...defaultsOf("predict.row"), ...now, cells: cells() }), label: "Predict this row",
    show: (told) => fill(answer, oneAnswer(place, told)),
  });
  const row = el("input", { type: "number", min: "0", max: String(summary.n_rows - 1), value: "0", "aria-label": "Row to copy" });
  const copy = async () => {
    try {
      const { result } = await ask("data.rows", view, { start: 0, count: 1, rows: [Number(row.value)] });
      result.columns.forEach((/** @type {string} */ name, /** @type {number} */ i) => {
        const input = inputs.get(name);
        if (input) input.value = String(result.cells[0]?.[i] ?? "");
      });
      runner.check();
    } catch (error) {
      say(error instanceof Error ? error.message : String(error), { bad: true });
    }
  };
  runner.resume();
  return { root: el("div", {}, el("div", { class: "tools" }, "Begin with row", row, button("Copy it", copy), button("Empty", () => (inputs.forEach((input) => (input.value = "")), runner.check())), summary.columns.length > 12 ? find : null), form, more, runner.root, answer), check: runner.check };
}

/** @param {Place} place @param {import("../server.js").Answer} answer */
function oneAnswer(place, answer) {
  const { summary } = place;
  const { result } = answer;
  const panel = neighborPanel(place, { onpick: () => undefined, called: "The new row" }, false);
  if (result.explanation) panel.show(asNeighbors(answer));
  const [first] = result.predicted;
  const told = result.classes ? className(first, summary.target) : number(first);
  const bar = (/** @type {number} */ share) => {
    const made = el("span", { class: "bar", "aria-hidden": "true" });
    made.style.width = `${6 * share}rem`;
    return made;
  };
  return el("div", { class: "half" },
    el("div", {}, el("div", { class: "figures" }, el("div", {}, el("span", { class: "small soft" }, summary.target), el("b", {}, told))),
      result.text ? el("pre", {}, result.text) : null,
      result.probabilities ? makeTable({ name: "probabilities", sorted: { column: 1, down: true }, columns: [
        { title: summary.target, values: result.classes.map((/** @type {any} */ each) => className(each, summary.target)) },
        { title: "probability", values: Array.from(flat(result.probabilities)), text: percent },
        { title: "", values: Array.from(flat(result.probabilities)), show: bar },
      ] }).root : null),
    result.explanation ? panel.root : el("p", { class: "soft" }, "The nearest rows are named where no cell of the row is missing."));
}

/** @param {Place} place @param {{learner: string, settings: any}} now */
function manyPart({ view, summary }, now) {
  let rows = "";
  const select = el("span");
  const list = () => {
    const files = otherRows(view.data);
    if (!files.some((/** @type {any} */ each) => each.data === rows)) rows = files[0]?.data ?? "";
    runner.start.disabled = files.length === 0;
    if (files.length === 0) fill(select, el("span", { class: "soft" }, "Open a file that has the columns above."));
    else fill(select, field("file", choice(files.map((/** @type {any} */ each) => [each.data, each.name ?? each.data]), rows, (value) => (rows = value, runner.check()))));
  };
  const picker = el("input", { type: "file", class: "unseen", tabindex: "-1", "aria-hidden": "true", onchange: async () => {
    if (!picker.files?.[0]) return;
    try {
      const told = await upload(picker.files[0]);
      rows = told.data;
      await refreshOffered();
      list();
      const called = renamed(told);
      if (called) say(called);
    } catch (error) {
      say(error instanceof Error ? error.message : String(error), { bad: true });
    }
  } });
  const answer = el("div");
  const runner = makeRunner({
    action: "predict.file", view, parameters: () => ({ ...defaultsOf("predict.file"), ...now, rows }), label: "Predict the file",
    show: ({ result }) => {
      const names = Array.from(result.predicted, (each) => (result.classes ? className(each, summary.target) : each));
      const probabilities = result.probabilities ? flat(result.probabilities) : null;
      const wide = result.classes?.length ?? 0;
      fill(answer, ...(result.notes ?? []).map((/** @type {string} */ note) => el("p", { class: "small" }, note)),
        makeTable({ name: `${summary.name} predicted`, columns: [
          { title: "row", values: names.map((_, i) => i) }, { title: "predicted", values: names },
          ...(probabilities && wide <= 12 ? result.classes.map((/** @type {any} */ each, /** @type {number} */ c) => ({ title: className(each, summary.target), values: Float64Array.from(names, (_, i) => probabilities[i * wide + c]), digits: 3 })) : []),
        ] }).root);
    },
  });
  list();
  runner.resume();
  return { root: el("div", {}, el("div", { class: "tools" }, select, offered.read_only ? null : button("Open a file", () => picker.click()), picker), runner.root, answer), check: runner.check };
}
