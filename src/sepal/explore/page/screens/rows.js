// @ts-check
// Rows: those that look mislabelled, one by one with keys; and the rows that suffice, before and after on the map.
import { Scatter } from "../draw/scatter.js";
import { choice, el, field, fill } from "../element.js";
import { count, counted, number, percent } from "../format.js";
import { makeForm } from "../form.js";
import { axesFields, axesFrom, axesQuery, gridOf, planeOf } from "../plane.js";
import { makeRunner } from "../runner.js";
import { ask, flat } from "../server.js";
import { fewest, parametersOf } from "../state.js";
import { makeTable } from "../table.js";
import { say } from "../toast.js";
import { unfit } from "./separability.js";
import { suspectReview } from "./suspect_review.js";

/** @typedef {import("../main.js").Place} Place */

/** Rows from which on methods can be compared. */
const FEWEST = 30;

/** @param {Place} place */
export function show(place) {
  const { root, view, summary } = place;
  const stop = unfit(place, "Rows");
  if (stop) {
    fill(root, stop);
    return;
  }
  place.showing(`the rows of ${summary.name}`);
  const review = el("div");
  const form = makeForm(parametersOf("rows.suspects").filter((each) => each.role === null), { n_neighbors: Math.min(5, summary.n_rows - 1) }, () => runner.check());
  const runner = makeRunner({
    action: "rows.suspects", view, parameters: () => form.values(), label: "Look for suspects", about: "rows whose neighbours are of another class",
    show: (answer) => fill(review, suspectReview(place, answer.result)),
  });
  fill(root, el("h1", {}, "Rows"),
    el("p", { class: "lead" }, "Which rows look mislabelled, and how few rows would do?"),
    el("h2", {}, "Suspects"), form.root, runner.root, review,
    el("h2", {}, "Prototypes"), prototypePart(place));
  runner.resume();
}

/** @param {Place} place */
function prototypePart(place) {
  const { view, summary } = place;
  const axes = axesFrom(place);
  const methods = parametersOf("rows.prototypes", ["method"])[0]?.choices ?? ["hart"];
  let method = place.query.method ?? methods[0];
  const texts = summary.columns.every((column) => column.kind === "text"); // which have no plane
  const before = new Scatter({ title: "All rows", ratio: 0.8, tallest: 420 });
  const after = new Scatter({ title: "Rows that are kept", ratio: 0.8, tallest: 420 });
  const maps = el("div", { class: "half", hidden: true }, before.root, after.root);
  const said = el("p", { role: "status" });
  /** @type {number[]} */
  let kept = [];
  const draw = async () => {
    const plane = await planeOf(place, axes);
    before.show(plane.cloud, plane.x, plane.y);
    const { cloud } = plane;
    const at = before.pointOf();
    const points = kept.map(at).filter((point) => point >= 0);
    const some = { x: points.map((i) => cloud.x[i]), y: points.map((i) => cloud.y[i]), classes: points.map((i) => cloud.classes[i]), names: cloud.names, rows: points.map((i) => cloud.rows[i]) };
    after.show(some, plane.x, plane.y);
    for (const [scatter, extra] of /** @type {[Scatter, any][]} */ ([[before, {}], [after, { prototypes: method }]])) {
      const { result } = await ask("neighbors.map", view, { ...axes, k: 1, ...extra });
      if (place.alive()) scatter.showMap(...gridOf(result));
    }
  };
  const drawSafely = () => draw().catch((error) => say(error instanceof Error ? error.message : String(error), { bad: true }));
  const runner = makeRunner({
    action: "rows.prototypes", view, parameters: () => ({ method }), label: "Choose prototypes",
    show: (answer) => {
      const { result } = answer;
      kept = Array.from(flat(result.rows));
      maps.hidden = texts;
      said.textContent = `${result.method} keeps ${counted(result.n_kept, "row")} of ${count(result.n_rows)} (${percent(1 - result.reduction)}); ${percent(result.consistency)} of all rows are answered right by them. The maps below are of k = 1; the colours at the right are of the prototypes that the method finds in this plane.`;
      after.plot.entitle(`The ${counted(result.n_kept, "row")} that ${result.method} keeps`);
      if (!texts) drawSafely();
    },
  });
  const sizes = el("div");
  const contest = makeRunner({ action: "rows.methods", view, parameters: () => ({ cv: Math.max(2, Math.min(5, fewest(summary))) }), label: "Compare all methods", about: "size against accuracy, chosen inside the folds", show: (answer) => fill(sizes, methodTable(answer.result)) });
  const again = () => {
    place.keep({ ...axesQuery(axes), method });
    if (kept.length) drawSafely();
  };
  runner.resume();
  if (summary.n_rows >= FEWEST) contest.resume();
  return el("div", {}, el("div", { class: "tools" },
    field("method", choice(methods.map((/** @type {string} */ each) => [each, each]), method, (value) => (method = value, runner.check(), place.keep({ ...axesQuery(axes), method })), { id: "method" })), texts ? null : axesFields(place, axes, again)),
    runner.root, said, maps, el("h3", {}, "Every method"), summary.n_rows < FEWEST ? el("p", { class: "soft" }, `Rows are held out, and the methods ask the neighbours of the rest: that needs ${FEWEST} rows or more.`) : [contest.root, sizes]);
}

/** @param {any} result */
function methodTable(result) {
  const shares = Array.from(flat(result.kept_share));
  const accuracy = Array.from(flat(result.accuracy));
  const scatter = new Scatter({ title: "Size against accuracy", ratio: 0.6, tallest: 360, tip: (i) => result.methods[i] });
  scatter.show({ x: shares, y: accuracy, classes: shares.map((_, i) => i), names: result.methods }, { title: "share of rows kept" }, { title: "accuracy" });
  const table = makeTable({ name: "prototype methods", sorted: { column: 2, down: true }, columns: [
    { title: "method", values: result.methods },
    { title: "kept", values: shares, text: percent },
    { title: "accuracy", values: accuracy, text: percent },
    { title: "standard error", values: Array.from(flat(result.standard_error)), digits: 4 },
    ...(result.consistency ? [{ title: "consistency", values: Array.from(flat(result.consistency)), text: percent }] : []),
  ] });
  return el("div", { class: "half" }, scatter.root, el("div", {}, table.root, el("p", { class: "small soft" }, `All rows: ${percent(result.full_accuracy)}, in ${number(result.cv)} folds.`)));
}

