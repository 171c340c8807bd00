// @ts-check
// Rows on two axes above a decision map: hover, click (again for the next row at the same place), arrow keys, lasso.
import { counted, number } from "../format.js";
import { drawAxes, insideOf, scaleOf, share } from "./axes.js";
import { colourOf, formOf, mark } from "./marks.js";
import { Plot } from "./plot.js";
import { drawPlaces, inside, placeNear, placesOf, radiusOf, smallRadius } from "./points.js";
import { borders, mapImage } from "./raster.js";

/** @typedef {import("./axes.js").Scale} Scale */
/** @typedef {import("./raster.js").Grid} Grid */
/** @typedef {import("./plot.js").View} View */
/** @typedef {{ax: number, bx: number, ay: number, by: number, width: number, height: number}} Affine */
/**
 * @typedef {object} Cloud
 * @property {ArrayLike<number>} x
 * @property {ArrayLike<number>} y
 * @property {ArrayLike<number>} classes
 * @property {string[]} names of the classes
 * @property {ArrayLike<number>} [rows] the numbers of the rows in the table; 0, 1, 2, ... without it
 */
/**
 * @typedef {object} ScatterGiven
 * @property {string} title
 * @property {number} [ratio]
 * @property {number} [tallest]
 * @property {(row: number) => void} [onpick]
 * @property {(rows: number[]) => void} [onlasso]
 * @property {(x0: number, y0: number, x1: number, y1: number) => void} [onbrush] in values
 * @property {(point: number) => string} [tip] more about a point, by its position in the cloud
 * @property {(event: KeyboardEvent) => boolean | void} [onkey] before the keys of the scatter
 */

export class Scatter {
  /** @param {ScatterGiven} given */
  constructor(given) {
    this.given = given;
    /** @type {Cloud} */
    this.cloud = { x: [], y: [], classes: [], names: [] };
    this.places = placesOf([], [], []);
    /** @type {Scale} */
    this.x = { low: 0, high: 1 };
    /** @type {Scale} */
    this.y = { low: 0, high: 1 };
    /** @type {Grid | null} */
    this.grid = null;
    /** @type {[number, number, number, number] | null} low x, low y, high x, high y of the map */
    this.extent = null;
    /** @type {{path: number[], dash?: number[], width?: number}[]} lines in values */
    this.strokes = [];
    /** @type {number[]} points with a ring */
    this.ringed = [];
    /** @type {number[]} points that are joined to the chosen one */
    this.joined = [];
    /** @type {Uint8Array | null} */
    this.faint = null;
    this.chosen = -1;
    this.hovered = -1;
    this.plot = new Plot({
      title: given.title, ratio: given.ratio ?? 0.78, tallest: given.tallest ?? 600,
      paint: (pen, view) => this.paint(pen, view),
      over: (pen, view) => this.over(pen, view),
      legend: () => this.legend(),
      table: () => this.table(),
      onmove: (x, y) => this.tipAt(x, y),
      onclick: given.onpick ? (x, y) => this.click(x, y) : undefined,
      onkey: given.onpick ? (event) => given.onkey?.(event) || this.key(event) : undefined,
      onlasso: given.onlasso ? (polygon) => this.lasso(polygon) : undefined,
      onbrush: given.onbrush ? (x0, y0, x1, y1) => this.brush(x0, y0, x1, y1) : undefined,
    });
    this.root = this.plot.root;
  }

  /**
   * New points; the axes are fitted to them unless given whole.
   * @param {Cloud} cloud
   * @param {Partial<Scale>} [x]
   * @param {Partial<Scale>} [y]
   */
  show(cloud, x = {}, y = {}) {
    this.cloud = cloud;
    this.places = placesOf(cloud.x, cloud.y, cloud.classes);
    this.x = scaleOf(cloud.x, x);
    this.y = scaleOf(cloud.y, y);
    this.chosen = this.hovered = -1;
    this.joined = [];
    this.ringed = [];
    this.strokes = [];
    this.grid = null;
    this.faint = null;
    this.plot.say(`${this.given.title}: ${counted(cloud.x.length, "row")}, ${x.title ?? "x"} against ${y.title ?? "y"}`);
    this.plot.draw();
  }

  /** @param {Grid | null} grid @param {[number, number, number, number] | null} [extent] */
  showMap(grid, extent = null) {
    this.grid = grid;
    this.extent = extent;
    this.plot.draw();
  }

  /** @param {number} row @param {number[]} [joined] rows of the table */
  choose(row, joined = []) {
    const at = this.pointOf();
    this.chosen = at(row);
    this.joined = joined.map(at).filter((point) => point >= 0);
    this.plot.drawOver();
  }

  /** From a row of the table to the point, -1 where it is not shown. */
  pointOf() {
    const { rows } = this.cloud;
    if (!rows) return (/** @type {number} */ row) => (row < this.cloud.x.length ? row : -1);
    const found = new Map(Array.from(rows, (row, i) => [row, i]));
    return (/** @type {number} */ row) => found.get(row) ?? -1;
  }

  /** @param {number} point */
  rowOf(point) {
    return this.cloud.rows ? this.cloud.rows[point] : point;
  }

  /** @param {View} view */
  box(view) {
    return insideOf(view.width, view.height, this.x, this.y);
  }

  /** @param {View} view @returns {Affine} */
  affine(view) {
    const box = this.box(view);
    const ax = box.width / (this.x.high - this.x.low);
    const ay = -box.height / (this.y.high - this.y.low);
    return { ax, bx: box.left - ax * this.x.low, ay, by: box.top + box.height - ay * this.y.low, width: view.width, height: view.height };
  }

  /** @param {import("./pen.js").Pen} pen @param {View} view */
  paint(pen, view) {
    const box = this.box(view);
    const to = this.affine(view);
    pen.clip(box.left, box.top, box.width, box.height, () => {
      if (this.grid) this.paintMap(pen, view, box, this.grid);
    });
    drawAxes(pen, box, this.x, this.y, view.colours, this.grid !== null);
    pen.clip(box.left - 1, box.top - 8, box.width + 14, box.height + 9, () => {
      drawPlaces(pen, this.places, to, view.colours, view.dense, this.faint);
      for (const stroke of this.strokes) {
        const line = stroke.path.map((v, i) => (i % 2 ? to.ay * v + to.by : to.ax * v + to.bx));
        pen.path(line, { stroke: view.colours.ink, width: stroke.width ?? 1.4, dash: stroke.dash });
      }
      for (const point of this.ringed) this.ring(pen, view, to, point, view.colours.ink, 1.2);
    });
  }

  /** @param {import("./pen.js").Pen} pen @param {View} view @param {import("./axes.js").Box} box @param {Grid} grid */
  paintMap(pen, view, box, grid) {
    const [lowX, lowY, highX, highY] = this.extent ?? [this.x.low, this.y.low, this.x.high, this.y.high];
    const left = box.left + share(this.x, lowX) * box.width;
    const top = box.top + (1 - share(this.y, highY)) * box.height;
    const width = (share(this.x, highX) - share(this.x, lowX)) * box.width;
    const height = (share(this.y, highY) - share(this.y, lowY)) * box.height;
    pen.image(mapImage(grid, view.colours), left, top, width, height, true);
    if (grid.cells) {
      const edges = borders(grid.cells, grid.width, grid.height).map((v, i) => (i % 2 ? top + v * height : left + v * width));
      pen.path(edges, { stroke: view.colours.line, width: 0.6, alpha: 0.7 });
    }
  }

  /** @param {import("./pen.js").Pen} pen @param {View} view @param {Affine} to @param {number} point @param {string} colour @param {number} width */
  ring(pen, view, to, point, colour, width) {
    const x = to.ax * this.cloud.x[point] + to.bx;
    const y = to.ay * this.cloud.y[point] + to.by;
    pen.circle(x, y, smallRadius(this.places.x.length) + 4.5, { stroke: view.colours.card, width: width + 2, alpha: 0.6 });
    pen.circle(x, y, smallRadius(this.places.x.length) + 4.5, { stroke: colour, width });
  }

  /** @param {import("./pen.js").Pen} pen @param {View} view */
  over(pen, view) {
    const to = this.affine(view);
    const { x, y, classes } = this.cloud;
    if (this.chosen >= 0 && this.chosen < x.length) {
      const [cx, cy] = [to.ax * x[this.chosen] + to.bx, to.ay * y[this.chosen] + to.by];
      for (const point of this.joined) pen.path([cx, cy, to.ax * x[point] + to.bx, to.ay * y[point] + to.by], { stroke: view.colours.ink, width: 1.2, alpha: 0.8 });
      for (const point of this.joined)
        mark(pen, formOf(classes[point]), to.ax * x[point] + to.bx, to.ay * y[point] + to.by, 4, { fill: colourOf(view.colours, classes[point]), stroke: view.colours.ink, width: 1 });
      mark(pen, formOf(classes[this.chosen]), cx, cy, 6, { fill: colourOf(view.colours, classes[this.chosen]), stroke: view.colours.ink, width: 2 });
    }
    if (this.hovered >= 0 && this.hovered < this.places.x.length) {
      const i = this.hovered;
      const r = radiusOf(this.places.counts[i], this.places.largest, smallRadius(this.places.x.length));
      pen.circle(to.ax * this.places.x[i] + to.bx, to.ay * this.places.y[i] + to.by, r + 3, { stroke: view.colours.accent, width: 2 });
    }
  }

  legend() {
    const seen = new Set(this.places.classes);
    return this.cloud.names.map((name, i) => ({ name, class: i })).filter((entry) => seen.has(entry.class));
  }

  /** @param {number} px @param {number} py @returns {string | null} */
  tipAt(px, py) {
    const before = this.hovered;
    this.hovered = placeNear(this.places, this.affine(this.plot.viewNow()), px, py, 12);
    if (this.hovered !== before) this.plot.drawOver();
    if (this.hovered < 0) return null;
    const { places, hovered, cloud } = this;
    const first = places.members[places.start[hovered]];
    const many = places.counts[hovered];
    const what = this.given.tip ? this.given.tip(first) : many === 1 ? `row ${this.rowOf(first)}` : `${counted(many, "row")} here`;
    const name = cloud.names[places.classes[hovered]];
    return `${what}${name === undefined || this.given.tip ? "" : `, ${name}`}\n${this.x.title ?? "x"}: ${this.said(this.x, places.x[hovered])}\n${this.y.title ?? "y"}: ${this.said(this.y, places.y[hovered])}`;
  }

  /** @param {Scale} scale @param {number} value */
  said(scale, value) {
    return scale.levels ? (scale.levels[Math.round(value)] ?? number(value)) : number(value);
  }

  /** @param {number} px @param {number} py */
  click(px, py) {
    const place = placeNear(this.places, this.affine(this.plot.viewNow()), px, py, 14);
    if (place >= 0) this.pick(this.nextAt(place));
  }

  /** The first row at a place, or the one after the chosen if that is there; other classes at the place come after. @param {number} place */
  nextAt(place) {
    const { x, y, start, members } = this.places;
    const here = [];
    for (let i = 0; i < x.length; i++)
      if (x[i] === x[place] && y[i] === y[place]) for (let j = start[i]; j < start[i + 1]; j++) here.push(members[j]);
    const now = here.indexOf(this.chosen);
    return now >= 0 ? here[(now + 1) % here.length] : members[start[place]];
  }

  /** @param {number} point */
  pick(point) {
    this.chosen = point;
    this.joined = [];
    this.plot.drawOver();
    this.given.onpick?.(this.rowOf(point));
  }

  /** Arrow keys go to the nearest place in that direction; Enter or space to the next row at the place. @param {KeyboardEvent} event */
  key(event) {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    const next = event.key === "Enter" || event.key === " ";
    if ((!way && !next) || this.places.x.length === 0) return false;
    const to = this.affine(this.plot.viewNow());
    if (this.chosen < 0) {
      const box = this.box(this.plot.viewNow());
      this.pick(this.places.members[this.places.start[placeNear(this.places, to, box.left + box.width / 2, box.top + box.height / 2, Infinity)]]);
      return true;
    }
    const [cx, cy] = [to.ax * this.cloud.x[this.chosen] + to.bx, to.ay * this.cloud.y[this.chosen] + to.by];
    let best = -1;
    let least = Infinity;
    for (let i = 0; i < this.places.x.length; i++) {
      const dx = to.ax * this.places.x[i] + to.bx - cx;
      const dy = to.ay * this.places.y[i] + to.by - cy;
      const along = way ? dx * way[0] + dy * way[1] : 0;
      const aside = way ? Math.abs(dx * way[1]) + Math.abs(dy * way[0]) : 0;
      const cost = way ? (along > 0.5 ? along + 2.5 * aside : Infinity) : dx * dx + dy * dy;
      if (cost < least) [least, best] = [cost, i];
    }
    if (best >= 0) this.pick(next ? this.nextAt(best) : this.places.members[this.places.start[best]]);
    return true;
  }

  /** @param {number[]} polygon */
  lasso(polygon) {
    const to = this.affine(this.plot.viewNow());
    const rows = [];
    for (let i = 0; i < this.cloud.x.length; i++) if (inside(polygon, to.ax * this.cloud.x[i] + to.bx, to.ay * this.cloud.y[i] + to.by)) rows.push(this.rowOf(i));
    this.given.onlasso?.(rows);
  }

  /** @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 in pixels */
  brush(x0, y0, x1, y1) {
    const to = this.affine(this.plot.viewNow());
    const xs = [x0, x1].map((v) => (v - to.bx) / to.ax).sort((a, b) => a - b);
    const ys = [y0, y1].map((v) => (v - to.by) / to.ay).sort((a, b) => a - b);
    this.given.onbrush?.(xs[0], ys[0], xs[1], ys[1]);
  }

  /** @returns {import("../table.js").Column[]} */
  table() {
    const { cloud } = this;
    /** @param {Scale} scale @param {ArrayLike<number>} values @param {string} otherwise */
    const column = (scale, values, otherwise) => ({
      title: scale.title ?? otherwise, values, ...(scale.levels ? { text: (/** @type {number} */ v) => this.said(scale, v) } : {}),
    });
    return [
      { title: "row", values: cloud.rows ?? Uint32Array.from({ length: cloud.x.length }, (_, i) => i) },
      column(this.x, cloud.x, "x"),
      column(this.y, cloud.y, "y"),
      ...(cloud.names.length ? [{ title: "class", values: Array.from(cloud.classes, (c) => cloud.names[c] ?? "–") }] : []),
    ];
  }
}
