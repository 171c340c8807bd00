// @ts-check
// The neighbours of one row as a table: how far each is, and how much every column contributes to that.
import { markIcon } from "../draw/plot.js";
import { button, el, fill } from "../element.js";
import { className, counted, number, percent } from "../format.js";
import { makeTable } from "../table.js";

/** So many columns are shown one by one, those that contribute most. */
const SHOWN = 6;

/**
 * @param {import("../main.js").Place} place
 * @param {{onplane?: (plane: boolean) => void, onpick: (row: number) => void}} on
 * @param {boolean} plane
 */
export function neighborPanel({ summary }, on, plane) {
  const labels = (summary.classes ?? []).map((each) => String(each.label));
  const body = el("div", { "aria-live": "polite" });
  const all = button("in all columns", () => set(false));
  const flat = button("in this plane", () => set(true));
  /** @param {boolean} to */
  const set = (to) => {
    all.setAttribute("aria-pressed", String(!to));
    flat.setAttribute("aria-pressed", String(to));
    if (to !== plane) on.onplane?.((plane = to));
  };
  set(plane);
  const root = el("section", { "aria-label": "Neighbours of a row" }, el("div", { class: "tools" }, el("h3", {}, "Neighbours"), on.onplane ? el("span", { class: "switch" }, all, flat) : null), body);
  const empty = () => fill(body, el("div", { class: "empty" }, el("p", {}, "Click a point, or step through them with the arrow keys."), el("p", {}, "Click again for the next row at the same place.")));

  /** @param {any} result of neighbors.of */
  const show = (result) => {
    const { neighbors } = result;
    /** @type {Map<string, number>} */
    const sums = new Map();
    for (const each of neighbors) for (const [name, part] of Object.entries(each.parts ?? {})) sums.set(name, (sums.get(name) ?? 0) + Number(part));
    const names = [...sums.keys()].sort((a, b) => (sums.get(b) ?? 0) - (sums.get(a) ?? 0));
    const shown = names.slice(0, SHOWN);
    const said = (/** @type {any} */ cell) => (typeof cell === "number" ? number(cell) : cell === null || cell === undefined ? "–" : String(cell));
    const own = result.row === null ? "A point of the plane" : `Row ${result.row}`;
    const truth = result.label === null || result.label === undefined ? "" : `, ${className(result.label, summary.target)}`;
    const votes = (result.votes ?? []).map((/** @type {number} */ vote, /** @type {number} */ i) => ({ vote, name: className(result.classes[i], summary.target) }))
      .filter((/** @type {any} */ each) => each.vote > 0).sort((/** @type {any} */ a, /** @type {any} */ b) => b.vote - a.vote);
    const total = votes.reduce((/** @type {number} */ sum, /** @type {any} */ each) => sum + each.vote, 0);
    const wrong = result.label !== null && result.label !== undefined && String(result.label) !== String(result.predicted);
    fill(body,
      el("p", {}, el("b", {}, `${own}${truth}`), `: ${counted(neighbors.length, "neighbour")} ${wrong ? "say otherwise," : "say"} `, el("b", { class: wrong ? "alarm" : null }, className(result.predicted, summary.target)), "."),
      el("p", { class: "small soft" }, votes.map((/** @type {any} */ each) => `${each.name} ${percent(each.vote / (total || 1))}`).join(" · ")),
      makeTable({ name: `neighbours of ${own}`, onpick: (i) => neighbors[i].row !== null && on.onpick(neighbors[i].row), columns: [
        { title: "distance", values: neighbors.map((/** @type {any} */ each) => each.distance), digits: 4 },
        { title: "row", values: neighbors.map((/** @type {any} */ each) => each.row) },
        { title: summary.target, values: neighbors.map((/** @type {any} */ each) => String(each.label)), show: (label) => el("span", {}, markIcon(labels.indexOf(label)), ` ${label}`) },
        { title: "vote", values: neighbors.map((/** @type {any} */ each) => each.share), text: percent, help: "share of the vote" },
        ...shown.map((name) => ({ title: name, values: neighbors.map((/** @type {any} */ each) => each.parts?.[name] ?? 0), help: "the cell, and its share of the distance", text: (/** @type {number} */ part) => percent(part),
          show: (/** @type {number} */ part, /** @type {number} */ i) => el("span", {}, said(neighbors[i].cells?.[name]), " ", el("span", { class: "soft" }, percent(part))) })),
      ] }).root,
      names.length > SHOWN ? el("p", { class: "small soft" }, `The ${SHOWN} columns that contribute most of ${names.length}.`) : null,
      el("details", {}, el("summary", {}, "The row itself"), el("div", {}, Object.entries(result.cells ?? {}).map(([name, cell]) => el("div", { class: "small" }, `${name}: ${said(cell)}`)))));
  };
  return { root, show, empty };
}
