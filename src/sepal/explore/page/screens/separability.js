// @ts-check
// Separability: the verdict, Thornton's index, accuracy over training rows, pairs of classes, complexity, alignment.
import { Curves } from "../draw/curves.js";
import { markIcon } from "../draw/plot.js";
import { button, el, fill } from "../element.js";
import { className, count, counted, number, percent } from "../format.js";
import { makeRunner } from "../runner.js";
import { flat, soon } from "../server.js";
import { changeView, classNames, remember } from "../state.js";
import { makeTable } from "../table.js";

/** @typedef {import("../main.js").Place} Place */

/** Above so many rows even the first figures wait for a button. */
const QUICK = 20000;

/** @param {Place} place */
export function show(place) {
  const { root, view, summary } = place;
  const stop = unfit(place, "Separability");
  if (stop) {
    fill(root, stop);
    return;
  }
  const first = el("section", { "aria-label": "First figures" }, el("p", { class: "waiting" }, "Looking for nearest neighbours …"));
  const measure = makeRunner({ action: "separability.measure", view, parameters: () => ({}), label: "Work out the first figures", show: (answer) => fill(first, figures(place, answer.result)) });
  const rest = el("div");
  const complexityPart = el("div");
  const complexity = makeRunner({ action: "separability.complexity", view, parameters: () => ({}), label: "Complexity again", show: (answer) => fill(complexityPart, complexityTable(answer.result)) });
  const report = makeRunner({
    action: "separability.report", view, parameters: () => ({}), label: "Work out everything", about: "verdict, a model, curve, pairs of classes, complexity, alignment",
    show: (answer) => {
      fill(rest, everything(place, answer.result), complexityPart);
      if (complexityPart.childElementCount === 0) complexity.run({});
    },
  });
  complexity.root.hidden = true;
  fill(root, el("h1", {}, "Separability"), el("p", { class: "lead" }, "How often does the nearest other row have the same class, and what would that mean for a model?"),
    first, report.root, rest, complexity.root);
  if (summary.n_rows <= QUICK) firstFigures(place, first);
  else {
    fill(first, measure.root);
    measure.resume();
  }
  complexity.resume().then(() => report.resume());
}

/** Screens that draw or search columns of numbers and names. */
const PLANES = ["Features", "Neighbours", "Kernels"];

/**
 * What stands instead of a screen that needs classes and columns, or null.
 * @param {Place} place
 * @param {string} title
 */
export function unfit({ summary }, title) {
  const heading = el("h1", {}, title);
  if (!summary.classes)
    return [heading, el("div", { class: "empty" }, el("p", {}, `${summary.target} is a number, and this screen is about classes.`), button("Treat its values as classes", () => changeView({ task: "classify" })))];
  if (summary.classes.length < 2)
    return [heading, el("div", { class: "empty" }, el("p", {}, "All rows are of one class: there is nothing to tell apart."), el("p", {}, "Choose another class column at the top."))];
  if (PLANES.includes(title) && summary.columns.length && summary.columns.every((column) => column.kind === "text"))
    return [heading, el("div", { class: "empty" }, el("p", {}, "All columns hold running text, which has no plane and no width: this screen is about numbers and names."), el("p", {}, "Separability, Rows, Classify and Predict compare texts by their words."))];
  if (summary.columns.length === 0) return [heading, el("div", { class: "empty" }, el("p", {}, "No column is left. Bring one back on Data."))];
  return null;
}

/** @param {Place} place @param {HTMLElement} first */
async function firstFigures(place, first) {
  try {
    const answer = await soon("separability.measure", place.view, {});
    if (!place.alive()) return;
    remember(place.view, "separability.measure", answer.parameters);
    place.showing(`the figures of ${place.summary.name}`);
    fill(first, figures(place, answer.result));
  } catch (error) {
    fill(first, el("div", { class: "note bad" }, el("p", {}, error instanceof Error ? error.message : String(error))));
  }
}

/** @param {string} name @param {string} value @param {string} [more] */
export const figure = (name, value, more) => el("div", {}, el("span", { class: "small soft" }, name), el("b", {}, value), more ? el("span", { class: "small soft" }, more) : null);

/** @param {Place} place @param {any} result */
function figures({ summary }, result) {
  const { thornton, margins } = result;
  const names = classNames(summary);
  const labels = (summary.classes ?? []).map((each) => String(each.label));
  const bar = (/** @type {number} */ share) => {
    const made = el("span", { class: "bar", "aria-hidden": "true" });
    made.style.width = `${Math.max(0, 6 * share)}rem`;
    return made;
  };
  return [
    el("div", { class: "figures" },
      figure("Thornton's index", number(thornton.score, 4), thornton.interval ? `${number(thornton.interval[0], 3)} to ${number(thornton.interval[1], 3)}` : ""),
      figure("by chance", number(thornton.chance, 4)),
      figure("above chance, of what is possible", percent(thornton.corrected)),
      figure("z over all permutations", number(thornton.z, 1), thornton.p_value === null || thornton.p_value === undefined ? "" : thornton.p_value === 0 ? "p below 1e−300" : `p ${number(thornton.p_value)}`),
      margins ? figure("rows nearer to another class", count(margins.n_negative), `of ${count(margins.n_checked)}`) : null),
    makeTable({ name: "Thornton's index by class", columns: [
      { title: summary.target, values: result.classes.map((/** @type {any} */ each) => String(each.label)), show: (label) => el("span", {}, markIcon(labels.indexOf(label)), ` ${names[labels.indexOf(label)] ?? label}`) },
      { title: "rows", values: result.classes.map((/** @type {any} */ each) => each.n_rows) },
      { title: "share of rows", values: result.classes.map((/** @type {any} */ each) => each.share), text: percent },
      { title: "index", values: result.classes.map((/** @type {any} */ each) => each.score), digits: 4, help: "share of its rows whose nearest other row is of the same class" },
      { title: `${number(100 * thornton.confidence)} % interval`, values: result.classes.map((/** @type {any} */ each) => `${number(each.interval[0], 3)} to ${number(each.interval[1], 3)}`), help: "for further rows of the class; rows that are nearest to each other agree together" },
      { title: "by chance", values: result.classes.map((/** @type {any} */ each) => each.chance), digits: 4, help: "what random labels would give on average" },
      { title: "", values: result.classes.map((/** @type {any} */ each) => each.score), show: bar },
    ] }).root,
  ];
}

/** @param {Place} place @param {any} result of the report */
function everything({ summary }, result) {
  const parts = [el("h2", {}, "Verdict"), el("ul", { class: "verdict" }, result.verdict.map((/** @type {any} */ each) => el("li", {}, each.text)))];
  if (result.curve) {
    const curve = new Curves({ title: "Expected accuracy over the number of training rows", xTitle: "training rows", yTitle: "accuracy" });
    const points = result.curve.points ?? [];
    const at = (/** @type {string} */ key) => points.map((/** @type {any} */ point) => point[key]);
    const spread = at("split_std");
    const middle = at("accuracy");
    parts.push(el("div", { class: "half" }, curve.root, alignmentPlot(result.alignment)));
    curve.show([{ name: "all splits of this size", x: at("train_rows"), y: middle, low: middle.map((/** @type {number} */ v, /** @type {number} */ i) => Math.max(0, v - spread[i])), high: middle.map((/** @type {number} */ v, /** @type {number} */ i) => Math.min(1, v + spread[i])), dots: true }]);
    parts.push(el("p", { class: "small soft" }, "The line is the mean over all splits of that size, worked out exactly; the band is how far one split falls from it (one standard deviation)."));
  }
  if (result.angle) parts.push(el("h2", {}, "Pairs of classes"), pairTable(result, summary.target));
  const skipped = Object.entries(result.skipped ?? {});
  if (skipped.length) parts.push(el("div", { class: "note" }, skipped.map(([what, why]) => el("p", {}, `${what}: ${String(why)}`))));
  if (result.sample_rows) parts.push(el("p", { class: "note" }, `Parts of this are from a sample of ${counted(result.sample_rows, "row")}.`));
  return parts;
}

/** @param {any} result */
export function alignmentPlot(result) {
  if (!result) return null;
  const curve = new Curves({ title: "Kernel alignment over width", xTitle: "width", yTitle: "alignment", log: true });
  curve.show([{ name: result.centered ? "centred alignment" : "alignment", x: flat(result.widths), y: flat(result.scores) }], null, [{ x: result.best_width, name: `best width ${number(result.best_width)}` }]);
  return curve.root;
}

/** @param {any} result @param {string} target */
function pairTable(result, target) {
  const regions = new Map((result.overlap?.regions ?? []).map((/** @type {any} */ each) => [[...each.classes].sort().join("\n"), each.mixing]));
  const { pairs } = result.angle;
  const of = (/** @type {string} */ key) => pairs.map((/** @type {any} */ each) => each[key] ?? NaN);
  return makeTable({ name: "pairs of classes", sorted: { column: 3, down: true }, columns: [
    { title: "classes", values: pairs.map((/** @type {any} */ each) => each.classes.map((/** @type {any} */ name) => className(name, target)).join(" – ")) },
    { title: "angle (degrees)", values: pairs.map((/** @type {any} */ each) => (each.degrees ?? (each.theta * 180) / Math.PI)), digits: 1, help: "angle of separability; 90 is apart" },
    { title: "Mahalanobis distance", values: of("mahalanobis"), digits: 3, help: "between the means, in standard deviations" },
    { title: "mixing", values: pairs.map((/** @type {any} */ each) => regions.get([...each.classes].sort().join("\n")) ?? NaN), digits: 3, help: "share of the neighbours that are of the other class" },
    { title: "error of a linear rule", values: of("plug_in_error"), digits: 4, help: "if both classes were Gaussian with one covariance" },
  ] }).root;
}

/** @param {any} result */
function complexityTable({ profile: result, meaning }) {
  const said = new Map(meaning.map((/** @type {any} */ each) => [each.id, each.summary]));
  const names = Object.keys(result.values);
  return [el("h2", {}, "Complexity"),
    el("p", { class: "small soft" }, "Each number is between 0, easy, and 1, hard, unless its sentence says otherwise.", result.sample_rows ? ` From a sample of ${counted(result.sample_rows, "row")} of ${count(result.n_rows)}.` : ""),
    makeTable({ name: "complexity", wrap: true, sorted: { column: 1, down: true }, columns: [
      { title: "measure", values: names },
      { title: "value", values: names.map((name) => result.values[name] ?? NaN), digits: 4 },
      { title: "what it means", values: names.map((name) => said.get(name) ?? "") },
    ] }).root,
    (result.notes ?? []).map((/** @type {string} */ note) => el("p", { class: "small soft" }, note))];
}
