// @ts-check
// A column as bars, split by class: small in its tile, large in a dialog.
import { counted, number } from "../format.js";
import { drawAxes, insideOf, share } from "./axes.js";
import { colourOf } from "./marks.js";
import { Plot } from "./plot.js";

/** @typedef {{name: string, kind: string, levels: string[] | null, edges: number[] | null, counts: number[][]}} Counted */

/** More classes than this are drawn as one. */
const MANY = 8;

/** Totals of bins or levels. @param {Counted} column */
const totals = (column) => Array.from(column.counts, (each) => Array.from(each).reduce((a, b) => a + b, 0));

/**
 * Bars without axes.
 * @param {import("./pen.js").Pen} pen
 * @param {Counted} column
 * @param {{left: number, top: number, width: number, height: number}} box
 * @param {import("./marks.js").Theme} colours
 * @param {number} [most] levels that are drawn
 */
export function drawBars(pen, column, box, colours, most = 40) {
  const sums = totals(column).slice(0, most);
  const top = Math.max(1, ...sums);
  const wide = box.width / Math.max(1, sums.length);
  sums.forEach((sum, i) => {
    const parts = column.counts[i].length > MANY ? [sum] : Array.from(column.counts[i]);
    let y = box.top + box.height;
    parts.forEach((part, c) => {
      const tall = (part / top) * box.height;
      y -= tall;
      if (part > 0) pen.rect(box.left + i * wide + 0.5, y, Math.max(0.5, wide - 1), tall, { fill: parts.length === 1 ? colours.accent : colourOf(colours, c) });
    });
  });
}

/** The bins or levels as they are called. @param {Counted} column */
export function binNames(column) {
  const { edges, levels } = column;
  if (edges) return Array.from({ length: edges.length - 1 }, (_, i) => `${number(edges[i])} to ${number(edges[i + 1])}`);
  return levels ?? [];
}

/**
 * The large picture of a column.
 * @param {Counted} column
 * @param {string[]} classes
 */
export function barsPlot(column, classes) {
  const sums = totals(column);
  const many = (column.counts[0]?.length ?? 1) > MANY;
  const y = { low: 0, high: Math.max(1, ...sums) * 1.05, title: "rows" };
  const x = column.edges
    ? { low: column.edges[0], high: column.edges[column.edges.length - 1] || 1, title: column.name }
    : { low: -0.5, high: sums.length - 0.5, levels: column.levels ?? [], title: column.name };
  if (x.low === x.high) [x.low, x.high] = [x.low - 0.5, x.high + 0.5];
  return new Plot({
    title: column.name, ratio: 0.5, tallest: 340, said: `${column.name}: ${counted(sums.reduce((a, b) => a + b, 0), "row")} in ${counted(sums.length, column.edges ? "bin" : "level")}`,
    paint(pen, view) {
      const box = insideOf(view.width, view.height, x, y);
      drawAxes(pen, box, x, y, view.colours);
      const tall = box.height * share(y, Math.max(1, ...sums));
      drawBars(pen, column, { ...box, top: box.top + box.height - tall, height: tall }, view.colours, Infinity);
    },
    legend: () => (many || classes.length < 2 ? [] : classes.map((name, i) => ({ name, class: i }))),
    table: () => [
      { title: column.edges ? "from, to" : "level", values: binNames(column) },
      { title: "rows", values: sums },
      ...(classes.length > 1 ? classes.map((name, c) => ({ title: name, values: Array.from(column.counts, (each) => each[c]) })) : []),
    ],
  });
}
