// @ts-check
// Values on a grid of two settings as cells from pale to strong; each cell can be clicked or walked to with the keys.
import { number } from "../format.js";
import { insideOf, drawAxes } from "./axes.js";
import { mixed } from "./marks.js";
import { Plot } from "./plot.js";

/**
 * @param {{title: string, xTitle: string, yTitle: string, valueTitle: string, onpick: (i: number, j: number) => void}} given
 */
export function makeSurface(given) {
  /** @type {{x: number[], y: number[], values: ArrayLike<number>}} */
  let now = { x: [], y: [], values: [] };
  let [ci, cj] = [-1, -1];
  const levels = (/** @type {number[]} */ values) => values.map((v) => number(v));
  const scales = () => ({ x: { low: -0.5, high: now.x.length - 0.5, levels: levels(now.x), title: given.xTitle }, y: { low: -0.5, high: now.y.length - 0.5, levels: levels(now.y), title: given.yTitle } });
  /** @param {number} width @param {number} height */
  const box = (width, height) => insideOf(width, height, scales().x, scales().y);
  /** @param {number} px @param {number} py @returns {[number, number] | null} */
  const cellAt = (px, py) => {
    const at = box(plot.width, plot.height);
    const i = Math.floor(((px - at.left) / at.width) * now.x.length);
    const j = Math.floor((1 - (py - at.top) / at.height) * now.y.length);
    return i >= 0 && j >= 0 && i < now.x.length && j < now.y.length ? [i, j] : null;
  };
  /** @param {number} i @param {number} j */
  const pick = (i, j) => {
    [ci, cj] = [i, j];
    plot.drawOver();
    plot.say(`${given.title}: ${given.xTitle} ${number(now.x[i])}, ${given.yTitle} ${number(now.y[j])}, ${given.valueTitle} ${number(now.values[j * now.x.length + i], 4)}`);
    given.onpick(i, j);
  };
  const plot = new Plot({
    title: given.title, ratio: 0.62, tallest: 380,
    paint(pen, view) {
      if (now.x.length === 0) return;
      const at = box(view.width, view.height);
      // By rank: a few bad cells at the border would else leave all others in one shade.
      const known = [...new Set(Array.from(now.values).filter((v) => Number.isFinite(v)))].sort((a, b) => a - b);
      const rank = new Map(known.map((v, i) => [v, i / Math.max(1, known.length - 1)]));
      const [w, h] = [at.width / now.x.length, at.height / now.y.length];
      for (let j = 0; j < now.y.length; j++)
        for (let i = 0; i < now.x.length; i++) {
          const value = now.values[j * now.x.length + i];
          if (!Number.isFinite(value)) continue;
          pen.rect(at.left + i * w, at.top + at.height - (j + 1) * h, w + 0.3, h + 0.3, { fill: mixed(view.colours.accent, view.colours.card, rank.get(value) ?? 0) });
        }
      drawAxes(pen, at, scales().x, scales().y, view.colours, true);
    },
    over(pen, view) {
      if (ci < 0) return;
      const at = box(view.width, view.height);
      const [w, h] = [at.width / now.x.length, at.height / now.y.length];
      pen.rect(at.left + ci * w, at.top + at.height - (cj + 1) * h, w, h, { stroke: view.colours.alarm, width: 2 });
    },
    table: () => {
      const cells = Array.from({ length: now.x.length * now.y.length }, (_, at) => at);
      return [
        { title: given.xTitle, values: cells.map((at) => now.x[at % now.x.length]) },
        { title: given.yTitle, values: cells.map((at) => now.y[Math.floor(at / now.x.length)]) },
        { title: given.valueTitle, values: cells.map((at) => now.values[at]), digits: 4 },
      ];
    },
    onmove(px, py) {
      const cell = cellAt(px, py);
      return cell && `${given.xTitle} ${number(now.x[cell[0]])}\n${given.yTitle} ${number(now.y[cell[1]])}\n${given.valueTitle} ${number(now.values[cell[1] * now.x.length + cell[0]], 4)}`;
    },
    onclick(px, py) {
      const cell = cellAt(px, py);
      if (cell) pick(...cell);
    },
    onkey(event) {
      const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
      if (!step || now.x.length === 0) return false;
      pick(Math.min(now.x.length - 1, Math.max(0, ci + step[0])), Math.min(now.y.length - 1, Math.max(0, cj + step[1])));
      return true;
    },
  });
  return {
    root: plot.root,
    /** @param {number[]} x @param {number[]} y @param {ArrayLike<number>} values row by row of y @param {[number, number]} [chosen] */
    show(x, y, values, chosen) {
      now = { x, y, values };
      [ci, cj] = chosen ?? [-1, -1];
      plot.draw();
    },
  };
}
