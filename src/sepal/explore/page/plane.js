// @ts-check
// Two columns or the two principal axes: the choice, the points, and the map's limits. Several screens draw on it.
import { choice, field } from "./element.js";
import { ask, flat } from "./server.js";
import { classNames } from "./state.js";

/** @typedef {import("./main.js").Place} Place */
/** @typedef {{x: string | null, y: string | null}} Axes null and null: the principal axes */

/** The axes that the address names, if they are columns. @param {Place} place @returns {Axes} */
export function axesFrom({ query, summary }) {
  const names = summary.columns.map((column) => column.name);
  const ok = query.x !== undefined && query.y !== undefined && names.includes(query.x) && names.includes(query.y);
  if (ok) return { x: query.x, y: query.y };
  if (query.x === "principal" || names.length > 2 || names.length < 2) return { x: null, y: null };
  return { x: names[0], y: names[1] };
}

/** For the address. @param {Axes} axes */
export const axesQuery = (axes) => (axes.x === null ? { x: "principal" } : { x: axes.x, y: axes.y });

/**
 * Two lists for the axes.
 * @param {Place} place
 * @param {Axes} axes changed in place
 * @param {() => void} changed
 */
export function axesFields({ summary }, axes, changed) {
  const names = summary.columns.map((column) => column.name);
  /** @type {[string, string][]} */
  const choices = names.map((name) => [`=${name}`, name]);
  const across = choice([["", "principal axes"], ...choices], axes.x === null ? "" : `=${axes.x}`, (value) => {
    axes.x = value === "" ? null : value.slice(1);
    axes.y = value === "" ? null : (axes.y ?? names.find((name) => name !== axes.x) ?? axes.x);
    up.value = axes.y === null ? "" : `=${axes.y}`;
    upField.hidden = axes.x === null;
    changed();
  }, { "aria-label": "Across" });
  const up = choice([...(names.length ? choices : [])], axes.y === null ? "" : `=${axes.y}`, (value) => {
    axes.y = value.slice(1);
    changed();
  }, { "aria-label": "Up" });
  const upField = field("up", up);
  upField.hidden = axes.x === null;
  return [field("across", across), upField];
}

/**
 * The points of a plane and its limits. Axes that were changed meanwhile are asked for again: what comes late is not shown.
 * @param {Place} place
 * @param {Axes} axes
 */
export async function planeOf({ view, summary }, axes) {
  /** @type {Axes} */
  let asked;
  /** @type {any} */
  let result;
  do {
    asked = { ...axes };
    ({ result } = await ask("data.plane", view, asked));
  } while (asked.x !== axes.x || asked.y !== axes.y);
  const points = flat(result.points);
  const n = points.length / 2;
  const x = new Float64Array(n);
  const y = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    x[i] = points[2 * i];
    y[i] = points[2 * i + 1];
  }
  const [lowX, lowY] = result.low;
  const [highX, highY] = result.high;
  return {
    cloud: { x, y, classes: flat(result.codes), names: result.classes ? classNames(summary, result.classes) : [], rows: flat(result.rows) },
    missing: summary.n_rows - n,
    x: { low: lowX, high: highX, title: result.names[0], levels: result.levels?.[0] ?? undefined },
    y: { low: lowY, high: highY, title: result.names[1], levels: result.levels?.[1] ?? undefined },
  };
}

/**
 * The map of an answer and the part of the plane it covers: its cells lie around `xs` and `ys`.
 * @param {any} result
 * @returns {[import("./draw/raster.js").Grid, [number, number, number, number]]}
 */
export function gridOf(result) {
  const xs = flat(result.xs);
  const ys = flat(result.ys);
  const margin = result.margin === null || result.margin === undefined ? null : flat(result.margin);
  const sureness = margin instanceof Uint8Array ? Float32Array.from(margin, (v) => v / 255) : margin;
  const halfX = (xs[xs.length - 1] - xs[0]) / (xs.length - 1) / 2;
  const halfY = (ys[ys.length - 1] - ys[0]) / (ys.length - 1) / 2;
  return [{ width: xs.length, height: ys.length, classes: flat(result.codes), sureness },
    [xs[0] - halfX, ys[0] - halfY, xs[xs.length - 1] + halfX, ys[ys.length - 1] + halfY]];
}
