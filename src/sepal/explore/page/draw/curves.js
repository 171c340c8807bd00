// @ts-check
// Lines over one axis: error over k, accuracy over rows, alignment over width, ROC.
import { number } from "../format.js";
import { drawAxes, insideOf, scaleOf, share, valueAt } from "./axes.js";
import { Plot } from "./plot.js";

/** @typedef {import("./axes.js").Scale} Scale */
/**
 * @typedef {object} Series
 * @property {string} name
 * @property {ArrayLike<number>} x
 * @property {ArrayLike<number>} y
 * @property {ArrayLike<number>} [low] of a band
 * @property {ArrayLike<number>} [high]
 * @property {number} [colour] which of the eight; the accent by default
 * @property {number[]} [dash]
 * @property {boolean} [dots]
 */
/**
 * @typedef {object} CurvesGiven
 * @property {string} title
 * @property {string} xTitle
 * @property {string} yTitle
 * @property {boolean} [log]
 * @property {[number, number]} [yRange]
 * @property {number} [ratio]
 * @property {number} [tallest]
 * @property {(x: number) => void} [onmark] the marker was moved to the nearest x of the first series
 */

export class Curves {
  /** @param {CurvesGiven} given */
  constructor(given) {
    this.given = given;
    /** @type {Series[]} */
    this.series = [];
    /** @type {number | null} */
    this.marker = null;
    /** @type {{x: number, name: string}[]} */
    this.lines = [];
    this.plot = new Plot({
      title: given.title, ratio: given.ratio ?? 0.5, tallest: given.tallest ?? 300,
      paint: (pen, view) => this.paint(pen, view),
      over: (pen, view) => this.over(pen, view),
      table: () => this.table(),
      onmove: (x) => this.tipAt(x),
      onclick: given.onmark ? (x) => this.moveTo(x) : undefined,
      ondrag: given.onmark ? (x) => (this.moveTo(x), true) : undefined,
      onkey: given.onmark ? (event) => this.key(event) : undefined,
    });
    this.root = this.plot.root;
  }

  /**
   * @param {Series[]} series
   * @param {number | null} [marker]
   * @param {{x: number, name: string}[]} [lines] places on the axis that are named
   */
  show(series, marker = null, lines = []) {
    this.series = series;
    this.marker = marker;
    this.lines = lines;
    /** @type {number[]} */
    const ys = [];
    /** @type {number[]} */
    const xs = [];
    for (const each of series) {
      for (const part of [each.y, each.low, each.high]) if (part) for (let i = 0; i < part.length; i++) if (Number.isFinite(part[i])) ys.push(part[i]);
      for (let i = 0; i < each.x.length; i++) if (!this.given.log || each.x[i] > 0) xs.push(each.x[i]);
    }
    this.x = scaleOf(xs, { title: this.given.xTitle, log: this.given.log });
    this.y = scaleOf(ys, { title: this.given.yTitle, ...(this.given.yRange ? { low: this.given.yRange[0], high: this.given.yRange[1] } : {}) });
    this.plot.draw();
  }

  /** @param {number | null} x */
  mark(x) {
    this.marker = x;
    this.plot.drawOver();
  }

  /** @param {import("./plot.js").View} view */
  scales(view) {
    const x = this.x ?? { low: 0, high: 1 };
    const y = this.y ?? { low: 0, high: 1 };
    const box = insideOf(view.width, view.height, x, y);
    return {
      x, y, box,
      /** @param {number} v */
      px: (v) => box.left + share(x, v) * box.width,
      /** @param {number} v */
      py: (v) => box.top + (1 - share(y, v)) * box.height,
    };
  }

  /** @param {number} i @param {import("./marks.js").Theme} colours */
  colour(i, colours) {
    const own = this.series[i].colour;
    return own === undefined ? (i === 0 ? colours.accent : colours.classes[i % 8]) : colours.classes[own % 8];
  }

  /** @param {import("./pen.js").Pen} pen @param {import("./plot.js").View} view */
  paint(pen, view) {
    if (!this.x) return;
    const { x, y, box, px, py } = this.scales(view);
    drawAxes(pen, box, x, y, view.colours);
    this.series.forEach((each, i) => {
      const colour = this.colour(i, view.colours);
      if (each.low && each.high) {
        const edge = [];
        for (let j = 0; j < each.x.length; j++) edge.push(px(each.x[j]), py(each.low[j]));
        for (let j = each.x.length - 1; j >= 0; j--) edge.push(px(each.x[j]), py(each.high[j]));
        pen.path(edge, { fill: colour, alpha: 0.16 }, true);
      }
      const line = [];
      for (let j = 0; j < each.x.length; j++) line.push(px(each.x[j]), py(each.y[j]));
      pen.path(line, { stroke: colour, width: 1.8, dash: each.dash });
      if (each.dots) for (let j = 0; j < line.length; j += 2) if (!Number.isNaN(line[j + 1])) pen.circle(line[j], line[j + 1], 2.6, { fill: colour });
    });
    for (const line of this.lines) {
      pen.path([px(line.x), box.top, px(line.x), box.top + box.height], { stroke: view.colours.soft, dash: [3, 3] });
      const late = share(x, line.x) > 0.7;
      const left = px(line.x) - (late ? 4 + 6.6 * line.name.length : 0);
      const hides = (/** @type {number} */ from) => this.series.some((each) => Array.from(each.x).some((v, j) => px(v) >= left && px(v) <= left + 6.6 * line.name.length + 4 && py(each.y[j]) > from && py(each.y[j]) < from + 20));
      const at = hides(box.top - 2) && !hides(box.top + box.height - 18) ? box.top + box.height - 9 : box.top + 8;
      pen.text(px(line.x) + (late ? -4 : 4), at, line.name, { color: view.colours.soft, halo: view.colours.paper, align: late ? "end" : "start" });
    }
    this.names(pen, view, box);
  }

  /** Names of the lines in the corner where they hide least. @param {import("./pen.js").Pen} pen @param {import("./plot.js").View} view @param {import("./axes.js").Box} box */
  names(pen, view, box) {
    if (this.series.length < 2) return;
    const { px, py } = this.scales(view);
    const wide = 34 + 6.6 * Math.max(...this.series.map((each) => each.name.length));
    const tall = 18 * this.series.length + 6;
    const right = box.left + box.width - wide;
    const low = box.top + box.height - tall;
    const corners = [[right, box.top], [right, low], [box.left + 6, box.top], [box.left + 6, low]];
    const hidden = corners.map(([cx, cy]) => {
      let hits = 0;
      for (const each of this.series)
        for (let j = 0; j < each.x.length; j++) {
          const [x, y] = [px(each.x[j]), py(each.y[j])];
          if (x >= cx && x <= cx + wide && y >= cy && y <= cy + tall) hits++;
        }
      return hits;
    });
    const [cx, cy] = corners[hidden.indexOf(Math.min(...hidden))];
    this.series.forEach((each, i) => {
      const y = cy + 14 + 18 * i;
      pen.path([cx, y, cx + 22, y], { stroke: this.colour(i, view.colours), width: 1.8, dash: each.dash });
      pen.text(cx + 28, y, each.name, { color: view.colours.ink, halo: view.colours.paper });
    });
  }

  /** @param {import("./pen.js").Pen} pen @param {import("./plot.js").View} view */
  over(pen, view) {
    if (!this.x || this.marker === null) return;
    const { box, px } = this.scales(view);
    const at = px(this.marker);
    pen.path([at, box.top, at, box.top + box.height], { stroke: view.colours.accent, width: 2 });
    pen.path([at - 6, box.top, at + 6, box.top, at, box.top + 8], { fill: view.colours.accent }, true);
  }

  /** The index in the first series that is nearest to a place. @param {number} px */
  nearest(px) {
    const first = this.series[0];
    if (!first || !this.x) return -1;
    const { box } = this.scales(this.plot.viewNow());
    const value = valueAt(this.x, (px - box.left) / box.width);
    let best = -1;
    for (let i = 0; i < first.x.length; i++) if (best < 0 || Math.abs(first.x[i] - value) < Math.abs(first.x[best] - value)) best = i;
    return best;
  }

  /** @param {number} px */
  tipAt(px) {
    const i = px < 0 ? -1 : this.nearest(px);
    if (i < 0) return null;
    const x = this.series[0].x[i];
    const said = this.series.flatMap((each) => {
      const j = Array.prototype.indexOf.call(each.x, x);
      return j < 0 ? [] : [`${each.name}: ${number(each.y[j])}`];
    });
    return [`${this.given.xTitle} ${number(x)}`, ...said].join("\n");
  }

  /** @param {number} px */
  moveTo(px) {
    const i = this.nearest(px);
    if (i >= 0 && this.series[0].x[i] !== this.marker) this.given.onmark?.(this.series[0].x[i]);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, Home: -Infinity, End: Infinity }[event.key];
    const first = this.series[0];
    if (step === undefined || !first) return false;
    const now = Array.prototype.indexOf.call(first.x, this.marker);
    const next = Math.min(first.x.length - 1, Math.max(0, now + step));
    if (next !== now) this.given.onmark?.(first.x[next]);
    return true;
  }

  /** @returns {import("../table.js").Column[]} */
  table() {
    const xs = [...new Set(this.series.flatMap((each) => Array.from(each.x)))].sort((a, b) => a - b);
    /** @param {Series} each @param {ArrayLike<number>} values */
    const along = (each, values) => {
      const at = new Map(Array.from(each.x, (x, i) => [x, values[i]]));
      return xs.map((x) => at.get(x) ?? NaN);
    };
    return [
      { title: this.given.xTitle, values: xs },
      ...this.series.flatMap((each) => [
        { title: each.name, values: along(each, each.y) },
        ...(each.low && each.high ? [{ title: `${each.name}, low`, values: along(each, each.low) }, { title: `${each.name}, high`, values: along(each, each.high) }] : []),
      ]),
    ];
  }
}
