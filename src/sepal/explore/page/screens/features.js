// @ts-check
// Features: ranks, every subset as a dot, near-best sets, the search, and the planes that tell most.
import { Scatter } from "../draw/scatter.js";
import { button, el, fill } from "../element.js";
import { counted, number, percent, shortened } from "../format.js";
import { makeForm } from "../form.js";
import { makeRunner } from "../runner.js";
import { flat, rowsOf } from "../server.js";
import { changeView, offered, parametersOf } from "../state.js";
import { makeTable } from "../table.js";
import { thumbnails } from "./planes.js";
import { unfit } from "./separability.js";

/** @typedef {import("../main.js").Place} Place */

/** @param {Place} place */
export function show(place) {
  const { root, view, summary } = place;
  const stop = unfit(place, "Features");
  if (stop) {
    fill(root, stop);
    return;
  }
  place.showing(`the features of ${summary.name}`);
  const whole = { ...view, columns: null };
  const most = offered.limits.swept_columns;
  const ranks = el("div");
  const rank = makeRunner({ action: "features.rank", view: whole, parameters: () => ({}), label: "Rank the columns", show: (answer) => fill(ranks, rankTable(answer.result)) });
  const dots = el("div");
  const sweep = makeRunner({ action: "features.sweep", view: whole, parameters: () => ({}), label: "Try every subset", about: "separability and alignment of all of them", show: (answer) => fill(dots, scattergram(view.columns, answer.result)) });
  const search = searchPart(place, whole);
  const found = el("div");
  const planes = makeRunner({ action: "features.planes", view: whole, parameters: () => ({}), label: "Find informative planes", show: (answer) => fill(found, thumbnails(place, whole, answer.result)) });
  fill(root,
    el("h1", {}, "Features"),
    el("p", { class: "lead" }, "Which columns tell the classes apart, and how few suffice? A set that you choose here is used on all other screens."),
    view.columns ? el("div", { class: "note" }, el("p", {}, `In use: ${view.columns.join(", ")}. `, button("Use all columns", () => changeView({ columns: null })))) : null,
    el("h2", {}, "Every subset"),
    summary.columns.length > most ? el("p", { class: "soft" }, `${counted(summary.columns.length, "column")} have too many subsets to draw them all; that is done up to ${most} columns. The search below needs no limit.`) : [sweep.root, dots],
    el("h2", {}, "Search"), search.root,
    el("h2", {}, "Ranks"), rank.root, ranks,
    el("h2", {}, "Planes"), planes.root, found);
  if (summary.columns.length <= most) sweep.resume();
  search.resume();
  rank.resume();
  planes.resume();
}

/** @param {any} result */
function rankTable(result) {
  const measures = Object.keys(result.columns);
  return makeTable({ name: "ranks of columns", sorted: { column: 1, down: true }, columns: [
    { title: "column", values: result.names },
    ...measures.map((measure) => ({ title: measure.replaceAll("_", " "), values: Array.from(flat(result.columns[measure])), digits: 4 })),
  ] }).root;
}

/**
 * The columns of a subset.
 * @param {string[]} names
 * @param {number} mask
 */
const subset = (names, mask) => names.filter((_, j) => (mask >> j) & 1);

/** @param {string[] | null} used @param {any} result */
function scattergram(used, result) {
  const { names, sizes, all_scores: scores } = result.sweep;
  // A subset's place in the arrays is its mask; the empty set at 0 has no score.
  const masks = Int32Array.from({ length: sizes.length - 1 }, (_, i) => i + 1);
  const near = new Set(result.near_best.map((/** @type {any} */ each) => each.mask));
  const { best } = result.sweep;
  const cloud = { x: flat(scores.alignment).slice(1), y: flat(scores.thornton).slice(1), classes: Int32Array.from(masks, (mask) => (near.has(mask) ? 1 : 0)), names: ["subset", "near the best: not told apart from it by these rows"] };
  const x = { title: "alignment" };
  const y = { title: "separability (Thornton's index)" };
  /** @param {number} mask */
  const use = (mask) => changeView({ columns: subset(names, mask) });
  const said = el("p", { class: "small", role: "status" }, "Hover names a set, a click uses it for all other screens, a box drawn with the pointer enlarges.");
  const scatter = new Scatter({
    title: "Every subset of the columns", ratio: 0.6, tallest: 460,
    tip: (point) => {
      const set = subset(names, masks[point]);
      said.textContent = `${counted(set.length, "column")}: ${set.join(", ")}`;
      return shortened(set.join(", "), 120);
    },
    onpick: (point) => use(masks[point]),
    onbrush: (x0, y0, x1, y1) => {
      if (x1 - x0 > 0 && y1 - y0 > 0) draw({ ...x, low: x0, high: x1 }, { ...y, low: y0, high: y1 });
      whole.hidden = false;
    },
    onkey: (event) => event.key.startsWith("Arrow") && (step(event.key), true),
  });
  /** @param {any} xs @param {any} ys */
  const draw = (xs, ys) => {
    scatter.show(cloud, xs, ys);
    const now = used ? masks.findIndex((/** @type {number} */ mask) => subset(names, mask).join("\n") === [...used].sort((a, b) => names.indexOf(a) - names.indexOf(b)).join("\n")) : -1;
    if (now >= 0) scatter.choose(now);
  };
  const whole = button("Show all again", () => {
    draw(x, y);
    whole.hidden = true;
  }, { hidden: true });
  // With keys the subsets are walked in the order of their separability, and Enter uses the one that is named.
  const order = Array.from(masks, (_, i) => i).sort((a, b) => cloud.y[b] - cloud.y[a]);
  let at = -1;
  /** @param {string} key */
  const step = (key) => {
    at = Math.min(order.length - 1, Math.max(0, at + (key === "ArrowDown" || key === "ArrowRight" ? 1 : -1)));
    scatter.choose(order[at]);
    said.textContent = `${subset(names, masks[order[at]]).join(", ")}: ${number(cloud.y[order[at]], 4)}. Enter uses it.`;
  };
  draw(x, y);
  scatter.plot.given.table = () => [
    { title: "columns", values: Array.from(masks, (mask) => subset(names, mask).join(", ")) },
    { title: "how many", values: Array.from(masks, (mask) => subset(names, mask).length) },
    { title: "separability", values: cloud.y, digits: 4 },
    { title: "alignment", values: cloud.x, digits: 4 },
  ];
  const inclusion = Object.entries(result.inclusion ?? {});
  return el("div", { class: "two" }, el("div", {}, scatter.root, el("div", { class: "tools" }, whole), said),
    el("section", {}, el("h3", {}, `In how many of the ${counted(near.size, "near-best set")}`), inclusionTable(inclusion.map(([name, share]) => [name, Number(share)])),
      el("p", {}, "Best: ", best.features.join(", "), " ", button("Use it", () => changeView({ columns: best.features }))),
      el("p", { class: "small soft" }, `Separability and alignment go together with a correlation of ${number(rowsOf(result.correlation)[0]?.[1], 3)}.`)));
}

/** @param {[string, number][]} shares */
function inclusionTable(shares) {
  const bar = (/** @type {number} */ share) => {
    const made = el("span", { class: "bar", "aria-hidden": "true" });
    made.style.width = `${6 * share}rem`;
    return made;
  };
  return makeTable({ name: "columns in the near-best sets", sorted: { column: 1, down: true }, columns: [
    { title: "column", values: shares.map(([name]) => name) },
    { title: "share", values: shares.map(([, share]) => share), text: percent },
    { title: "", values: shares.map(([, share]) => share), show: bar },
  ] }).root;
}

/** @param {Place} place @param {import("../server.js").View} whole */
function searchPart({ summary }, whole) {
  const form = makeForm(parametersOf("features.search").filter((each) => each.role === null), { cv: Math.min(10, summary.n_rows) }, () => runner.check());
  const answer = el("div");
  const runner = makeRunner({ action: "features.search", view: whole, parameters: () => form.values(), label: "Search", about: `in the subsets of ${counted(summary.columns.length, "column")}`, show: (told) => fill(answer, searchAnswer(told.result)) });
  return { root: el("div", {}, form.root, runner.root, answer), resume: runner.resume };
}

/** @param {any} result */
function searchAnswer(result) {
  const honest = result.honest;
  return [
    el("p", {}, result.sentence ?? ""),
    honest ? el("p", { class: "small" }, el("span", { class: "badge good" }, "selected inside the folds"), ` accuracy ${percent(honest.accuracy)} (${percent(honest.interval[0])} to ${percent(honest.interval[1])}); the selected set itself promised ${percent(honest.optimistic)}.`) : null,
    makeTable({ name: "near-best sets", wrap: true, columns: [
      { title: "score", values: result.near_best.map((/** @type {any} */ each) => each.score), digits: 4 },
      { title: "behind the best", values: result.near_best.map((/** @type {any} */ each) => each.difference), digits: 4 },
      { title: "standard error", values: result.near_best.map((/** @type {any} */ each) => each.standard_error), digits: 4 },
      { title: "columns", values: result.near_best.map((/** @type {any} */ each) => each.features.join(", ")) },
      { title: "", values: result.near_best, text: () => "", show: (set) => button("Use it", () => changeView({ columns: set.features }), { class: "plain" }) },
    ] }).root,
    (result.notes ?? []).map((/** @type {string} */ note) => el("p", { class: "small soft" }, note)),
  ];
}
