// @ts-check
// One run: figures, the block of text a Weka user knows, the confusion matrix whose cells open the rows, ROC and costs.
import { button, el, fill } from "../element.js";
import { className, count, counted, number, percent } from "../format.js";
import { csv, downloadText, fileName } from "../save.js";
import { flat, rowsOf } from "../server.js";
import { makeRowTable } from "../rowtable.js";
import { makeTable } from "../table.js";
import { costsPart, rocPart } from "./costs.js";
import { figure } from "./separability.js";

/** @typedef {import("../main.js").Place} Place */
/** @typedef {import("../server.js").Answer} Answer */

const ERRORS = { mae: "mean absolute error", rmse: "root mean squared error", rae: "relative absolute error", rrse: "root relative squared error", correlation: "correlation" };

/** More classes than this: the confusions as a list. */
export const MANY = 24;

/** @param {Place} place @param {Answer} answer */
export function resultOf(place, answer) {
  const { summary } = place;
  const { result } = answer;
  const rows = el("div");
  const parts = [
    el("div", { class: "tools" }, el("h2", {}, result.scheme ?? answer.parameters.learner), result.selection_inside !== false ? el("span", { class: "badge good", title: "Scaling, selection and the choice of parameters saw the training rows of each fold only." }, "chosen inside the folds") : null),
    answer.note ? el("p", { class: "note" }, answer.note) : null,
    result.classes ? el("div", { class: "figures" },
      figure("right", percent(result.accuracy), result.interval ? `${percent(result.interval[0])} to ${percent(result.interval[1])}` : ""),
      figure("always the largest class", percent(result.majority_rate)),
      figure("balanced", percent(result.balanced_accuracy)),
      figure("kappa", number(result.kappa, 3)),
      figure("log-loss", number(result.log_loss, 3)))
      : el("div", { class: "figures" }, Object.entries(result.errors ?? {}).map(([name, value]) => figure(ERRORS[/** @type {keyof typeof ERRORS} */ (name)] ?? name, number(/** @type {number} */ (value))))),
    result.confusion ? [el("h3", {}, "Confusion"), confusion(place, result, rows), rows] : null,
    result.by_class ? [el("h3", {}, "By class"), byClass(result, summary.target)] : null,
    result.classes && result.answers ? [costsPart(place, answer), rocPart(place, answer)] : null,
    result.summary ? el("details", { open: true }, el("summary", {}, "As Weka prints it"), el("pre", { class: "block", tabindex: "0" }, result.summary),
      button("Save the text", () => downloadText(`${fileName(`${summary.name} ${answer.parameters.learner}`)}.txt`, result.summary, "text/plain"), { class: "plain" })) : null,
    el("details", {}, el("summary", {}, "Answers row by row"), answersTable(result, summary.target)),
  ];
  return parts.flat();
}

/** The class of an answer, whether it came as a code or as a name. @param {any} result @param {any} value */
const nameOf = (result, value) => (typeof value === "number" && result.classes ? result.classes[value] : value);

/** @param {Place} place @param {any} result @param {HTMLElement} rows */
export function confusion(place, result, rows) {
  const { summary } = place;
  const names = result.classes.map((/** @type {any} */ each) => className(each, summary.target));
  /** @param {number} actual @param {number} predicted */
  const openRows = (actual, predicted) => {
    const { answers } = result;
    const which = Array.from(flat(answers.rows)).filter((_, i) => {
      const [a, p] = [answers.actual[i], answers.predicted[i]];
      return String(nameOf(result, a)) === String(result.classes[actual]) && String(nameOf(result, p)) === String(result.classes[predicted]);
    });
    const numeric = summary.columns.filter((column) => column.edges).map((column) => column.name);
    fill(rows, el("h3", {}, `${counted(which.length, "row")} of ${names[actual]}, answered ${names[predicted]}`),
      which.length ? makeRowTable({ view: place.view, length: which.length, rows: which, columns: [...summary.columns.map((column) => column.name), summary.target], numeric, name: `${names[actual]} answered ${names[predicted]}` }) : el("p", { class: "soft" }, "None."));
  };
  const matrix = rowsOf(result.confusion);
  if (names.length > MANY) {
    const cells = matrix.flatMap((row, a) => row.map((many, p) => ({ many, a, p }))).filter((/** @type {any} */ cell) => cell.many > 0 && cell.a !== cell.p);
    return cells.length === 0 ? el("p", { class: "soft" }, "No row was answered wrongly.") : makeTable({ name: "confusions", sorted: { column: 2, down: true }, onpick: (i) => openRows(cells[i].a, cells[i].p), columns: [
      { title: "class", values: cells.map((/** @type {any} */ cell) => names[cell.a]) },
      { title: "answered", values: cells.map((/** @type {any} */ cell) => names[cell.p]) },
      { title: "rows", values: cells.map((/** @type {any} */ cell) => cell.many) },
    ] }).root;
  }
  /** @type {HTMLButtonElement[]} */
  const buttons = [];
  const line = (/** @type {number[]} */ row, /** @type {number} */ a) => el("tr", {}, el("th", { scope: "row" }, names[a]), row.map((many, p) => {
    const made = button(count(many), () => {
      for (const each of buttons) each.setAttribute("aria-pressed", String(each === made));
      openRows(a, p);
    }, { "aria-label": `${many} of ${names[a]} answered ${names[p]}`, disabled: many === 0 });
    buttons.push(made);
    return el("td", { class: a === p ? "right" : null }, made);
  }));
  const save = button("CSV", () => downloadText(`${fileName(`${summary.name} confusion`)}.csv`, csv(["class", ...names], matrix.map((row, a) => [names[a], ...row])), "text/csv"), { class: "plain", "aria-label": "Save the confusion matrix as CSV" });
  return el("div", { class: "sideways" }, el("table", { class: "matrix", "aria-label": "Confusion matrix: rows are the classes, columns the answers" },
    el("thead", {}, el("tr", {}, el("th", {}, "class \\ answered"), names.map((/** @type {string} */ name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, matrix.map(line))), el("p", { class: "small" }, save));
}

/** @param {any} result @param {string} target */
function byClass(result, target) {
  return makeTable({ name: "accuracy by class", columns: [
    { title: target, values: result.classes.map((/** @type {any} */ each) => className(each, target)) },
    ...Object.entries(result.by_class).map(([title, values]) => ({ title, values: Array.from(/** @type {number[]} */ (values), (v) => v ?? NaN), digits: 3 })),
  ] }).root;
}

/** @param {any} result @param {string} target */
function answersTable(result, target) {
  const { answers } = result;
  if (!answers) return el("p", { class: "soft" }, "This run kept no answers.");
  const said = (/** @type {any} */ value) => (result.classes ? className(nameOf(result, value), target) : value);
  const actual = Array.from(answers.actual, said);
  const predicted = Array.from(answers.predicted, said);
  return makeTable({ name: "answers", columns: [
    { title: "row", values: Array.from(flat(answers.rows)) },
    ...(answers.fold ? [{ title: "fold", values: Array.from(answers.fold) }] : []),
    { title: "class", values: actual },
    { title: "answered", values: predicted },
    ...(result.classes ? [{ title: "right", values: actual.map((each, i) => (each === predicted[i] ? "yes" : "no")) }] : []),
  ] }).root;
}
