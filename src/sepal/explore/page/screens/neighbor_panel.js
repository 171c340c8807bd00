// @ts-check
// The neighbours of one row as a table: how far each is, and how much every column contributes to that.
import { markIcon } from "../draw/plot.js";
import { button, el, fill } from "../element.js";
import { className, counted, number, percent } from "../format.js";
import { flat } from "../server.js";
import { makeTable } from "../table.js";

/**
 * @typedef {object} Near
 * @property {number | null} row
 * @property {any} label
 * @property {any} predicted
 * @property {any[]} classes
 * @property {number[]} votes
 * @property {number | null} flips
 * @property {Record<string, any>} cells
 * @property {{row: number, label: any, distance: number, share: number, parts: Record<string, number>, cells: Record<string, any>}[]} neighbors
 */

/**
 * An explanation and the rows it names, row by row.
 * @param {import("../server.js").Answer} answer
 * @returns {Near}
 */
export function asNeighbors({ result, parameters }) {
  const { explanation: found, rows } = result;
  const target = rows ? rows.columns[rows.columns.length - 1] : "";
  /** @type {Record<string, any>[]} */
  const cells = (rows?.cells ?? []).map((/** @type {any[]} */ line) => Object.fromEntries(line.map((cell, j) => [rows.columns[j], cell])));
  const own = parameters.row === null || parameters.row === undefined ? null : parameters.row;
  const shown = own === null ? cells : cells.slice(1);
  const n = found.labels.length;
  const parts = flat(found.parts);
  const wide = found.names.length;
  const distances = flat(found.distances);
  const shares = flat(found.shares);
  const numbers = rows ? Array.from(flat(rows.row)).slice(own === null ? 0 : 1) : Array.from(flat(found.rows));
  return {
    row: own, label: own === null ? null : cells[0]?.[target], predicted: found.predicted[0], classes: found.classes ?? [], votes: Array.from(flat(found.votes)), flips: found.flips?.[0] ?? null,
    cells: own === null ? {} : (cells[0] ?? {}),
    neighbors: Array.from({ length: n }, (_, i) => ({
      row: numbers[i], label: found.labels[i], distance: distances[i], share: shares[i], cells: shown[i] ?? {},
      parts: Object.fromEntries(found.names.map((/** @type {string} */ name, /** @type {number} */ j) => [name, parts[i * wide + j]])),
    })),
  };
}

/** So many columns are shown at first, those that contribute most. */
const SHOWN = 6;

/**
 * @param {import("../main.js").Place} place
 * @param {{onplane?: (plane: boolean) => void, onpick: (row: number) => void, called?: string}} on
 * @param {boolean} plane
 */
export function neighborPanel({ summary }, on, plane) {
  const labels = (summary.classes ?? []).map((each) => String(each.label));
  const body = el("div", { "aria-live": "polite" });
  let every = false;
  const all = button("in all columns", () => set(false));
  const inPlane = button("in this plane", () => set(true));
  /** @param {boolean} to */
  const set = (to) => {
    all.setAttribute("aria-pressed", String(!to));
    inPlane.setAttribute("aria-pressed", String(to));
    if (to !== plane) on.onplane?.((plane = to));
  };
  set(plane);
  const root = el("section", { "aria-label": "Neighbours of a row" }, el("div", { class: "tools" }, el("h3", {}, "Neighbours"), on.onplane ? el("span", { class: "switch" }, all, inPlane) : null), body);
  const empty = () => fill(body, el("div", { class: "empty" }, el("p", {}, "Click a point, or step through them with the arrow keys."), el("p", {}, "Click again for the next row at the same place.")));

  /** @param {Near} result */
  const show = (result) => {
    const { neighbors } = result;
    /** @type {Map<string, number>} */
    const sums = new Map();
    for (const each of neighbors) for (const [name, part] of Object.entries(each.parts ?? {})) sums.set(name, (sums.get(name) ?? 0) + Number(part));
    const names = [...sums.keys()].sort((a, b) => (sums.get(b) ?? 0) - (sums.get(a) ?? 0));
    const shown = every ? names : names.slice(0, SHOWN);
    const said = (/** @type {any} */ cell) => (typeof cell === "number" ? number(cell) : cell === null || cell === undefined ? "–" : String(cell));
    const own = result.row === null ? (on.called ?? "This point") : `Row ${result.row}`;
    const truth = result.label === null || result.label === undefined ? "" : `, ${className(result.label, summary.target)}`;
    const votes = (result.votes ?? []).map((vote, i) => ({ vote, name: className(result.classes[i], summary.target) }))
      .filter((each) => each.vote > 0).sort((a, b) => b.vote - a.vote);
    const total = votes.reduce((sum, each) => sum + each.vote, 0);
    const wrong = result.label !== null && result.label !== undefined && String(result.label) !== String(result.predicted);
    fill(body,
      el("p", {}, el("b", {}, `${own}${truth}`), `: ${counted(neighbors.length, "neighbour")} ${wrong ? "say otherwise," : "say"} `, el("b", { class: wrong ? "alarm" : null }, summary.classes ? className(result.predicted, summary.target) : number(result.predicted)), "."),
      result.flips ? el("p", { class: "small soft" }, `The answer would change if ${counted(result.flips, "neighbour")} had another class.`) : null,
      el("p", { class: "small soft" }, votes.map((each) => `${each.name} ${percent(each.vote / (total || 1))}`).join(" · ")),
      makeTable({ name: `neighbours of ${own}`, onpick: (i) => neighbors[i].row !== null && on.onpick(neighbors[i].row), columns: [
        { title: "distance", values: neighbors.map((each) => each.distance), digits: 4 },
        { title: "row", values: neighbors.map((each) => each.row) },
        { title: summary.target, values: neighbors.map((each) => (summary.classes ? String(each.label) : each.label)), ...(summary.classes ? { show: (/** @type {string} */ label) => el("span", {}, markIcon(labels.indexOf(label)), ` ${label}`) } : {}) },
        ...shown.map((name) => ({ title: name, values: neighbors.map((each) => each.parts?.[name] ?? 0), help: "the cell, and its share of the distance", text: (/** @type {number} */ part) => percent(part),
          show: (/** @type {number} */ part, /** @type {number} */ i) => el("span", {}, said(neighbors[i].cells?.[name]), " ", el("span", { class: "soft" }, percent(part))) })),
        { title: "vote", values: neighbors.map((each) => each.share), text: percent, help: "share of the vote" },
      ] }).root,
      names.length > SHOWN ? el("p", { class: "small soft" }, every ? `All ${names.length} columns, the largest part first. ` : `The ${SHOWN} columns that contribute most, of ${names.length}. `,
        button(every ? `Show ${SHOWN}` : "Show all", () => (every = !every, show(result)), { class: "plain" })) : null,
      el("details", {}, el("summary", {}, "The row itself"), el("div", {}, Object.entries(result.cells ?? {}).map(([name, cell]) => el("div", { class: "small" }, `${name}: ${said(cell)}`)))));
  };
  return { root, show, empty };
}
