// @ts-check
// The frame of every picture: a canvas that follows its width and theme, a layer above it for what moves, a tip,
// a legend, PNG and SVG, and the table behind the picture.
import { button, eachFrame, el, fill } from "../element.js";
import { download, downloadText, fileName } from "../save.js";
import { makeTable } from "../table.js";
import { colourOf, formOf, mark, theme } from "./marks.js";
import { canvasPen, svgPen } from "./pen.js";

/** @typedef {import("./pen.js").Pen} Pen */
/** @typedef {import("./marks.js").Theme} Theme */
/** @typedef {{width: number, height: number, colours: Theme, dense: number}} View */
/** @typedef {{name: string, class: number}} LegendEntry */
/**
 * @typedef {object} PlotGiven
 * @property {string} title
 * @property {string} [said] what a screen reader says of the picture
 * @property {number} [ratio] height over width
 * @property {number} [tallest] in pixels
 * @property {(pen: Pen, view: View) => void} paint
 * @property {(pen: Pen, view: View) => void} [over]
 * @property {() => LegendEntry[]} [legend]
 * @property {() => import("../table.js").Column[]} table
 * @property {(x: number, y: number) => string | null} [onmove] the tip's text
 * @property {(x: number, y: number, event: PointerEvent) => void} [onclick]
 * @property {(event: KeyboardEvent) => boolean | void} [onkey] true: the key was used
 * @property {(polygon: number[]) => void} [onlasso]
 * @property {(x0: number, y0: number, x1: number, y1: number) => void} [onbrush]
 * @property {(x: number, y: number) => boolean} [ondrag] called while dragging; true when the drag is taken
 */

/** @type {Set<Plot>} */
const living = new Set();

/** Draw every picture again, after the theme changed. */
export function redrawAll() {
  for (const plot of living) {
    if (plot.root.isConnected) plot.draw();
    else living.delete(plot);
  }
}

export class Plot {
  /** @param {PlotGiven} given */
  constructor(given) {
    this.given = given;
    this.width = 0;
    this.height = 0;
    this.dense = 1;
    this.base = el("canvas", { "aria-hidden": "true" });
    this.over = el("canvas", { class: "over", tabindex: given.onkey || given.onclick ? "0" : null, role: "img" });
    this.tip = el("div", { class: "tip", hidden: true });
    this.view = el("div", { class: "field-of-view" }, this.base, this.over, this.tip);
    this.heading = el("b", {}, given.title);
    this.key = el("ul", { class: "legend", hidden: true });
    this.behind = el("details", {}, el("summary", {}, "Table behind this picture"));
    this.root = el("figure", { class: "plot" },
      el("figcaption", {}, this.heading, el("span", { class: "end" },
        button("PNG", () => this.savePng(), { class: "plain", "aria-label": `Save ${given.title} as PNG` }),
        button("SVG", () => this.saveSvg(), { class: "plain", "aria-label": `Save ${given.title} as SVG` }))),
      this.view, this.key, this.behind);
    this.behind.addEventListener("toggle", () => this.showTable());
    this.say(given.said ?? given.title);
    this.listen();
    this.drawOver = eachFrame(() => this.paintOver());
    new ResizeObserver(() => this.fit()).observe(this.view);
    living.add(this);
  }

  /** @param {string} text what a screen reader says */
  say(text) {
    this.over.setAttribute("aria-label", text);
  }

  /** @param {string} title */
  entitle(title) {
    this.given.title = title;
    this.heading.textContent = title;
  }

  fit() {
    const width = Math.round(this.view.clientWidth);
    const height = Math.round(Math.min(this.given.tallest ?? 560, Math.max(150, width * (this.given.ratio ?? 0.7))));
    const dense = window.devicePixelRatio || 1;
    if (width === 0 || (width === this.width && height === this.height && dense === this.dense)) return;
    this.width = width;
    this.height = height;
    this.dense = dense;
    this.view.style.height = `${height}px`;
    for (const canvas of [this.base, this.over]) {
      canvas.width = Math.round(width * dense);
      canvas.height = Math.round(height * dense);
    }
    this.draw();
  }

  /** Draw everything now. */
  draw() {
    if (this.width === 0) return;
    const pen = this.cleared(this.base);
    this.given.paint(pen, this.viewNow());
    this.paintOver();
    this.showLegend();
    this.showTable();
  }

  /** @returns {View} */
  viewNow() {
    return { width: this.width, height: this.height, colours: theme(), dense: this.dense };
  }

  paintOver() {
    if (this.width === 0) return;
    const pen = this.cleared(this.over);
    const view = this.viewNow();
    if (this.given.over) this.given.over(pen, view);
    if (this.trace && this.trace.length > 4) pen.path(this.trace, { stroke: view.colours.accent, width: 1.5, dash: [4, 3] }, true);
  }

  /** @param {HTMLCanvasElement} canvas */
  cleared(canvas) {
    const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    ctx.setTransform(this.dense, 0, 0, this.dense, 0, 0);
    ctx.clearRect(0, 0, this.width, this.height);
    return canvasPen(ctx);
  }

  showLegend() {
    const entries = this.given.legend?.() ?? [];
    const names = entries.map((entry) => `${entry.class} ${entry.name}`).join("\n") + document.documentElement.dataset.theme + theme().ink;
    if (this.key.dataset.names === names) return;
    this.key.dataset.names = names;
    this.key.hidden = entries.length === 0;
    fill(this.key, entries.map((entry) => el("li", {}, markIcon(entry.class), entry.name)));
  }

  showTable() {
    if (!this.behind.open) return;
    const made = makeTable({ columns: this.given.table(), name: this.given.title });
    this.behind.replaceChildren(this.behind.firstElementChild ?? "", made.root);
  }

  listen() {
    const { over, given } = this;
    /** @param {PointerEvent} event @returns {[number, number]} */
    const at = (event) => {
      const box = over.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    /** @type {[number, number] | null} */
    let down = null;
    let dragging = false;
    /** @type {number[] | null} */
    this.trace = null;
    over.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      down = at(event);
      dragging = given.ondrag?.(...down) ?? false;
      over.setPointerCapture(event.pointerId);
    });
    over.addEventListener("pointermove", (event) => {
      const [x, y] = at(event);
      if (dragging) given.ondrag?.(x, y);
      else if (down && (given.onlasso || given.onbrush) && Math.hypot(x - down[0], y - down[1]) > 5) {
        if (given.onbrush) this.trace = [down[0], down[1], x, down[1], x, y, down[0], y];
        else (this.trace ??= [...down]).push(x, y);
        this.drawOver();
      } else this.showTip(x, y);
    });
    over.addEventListener("pointerup", (event) => {
      const [x, y] = at(event);
      if (this.trace && given.onbrush && down) given.onbrush(down[0], down[1], x, y);
      else if (this.trace && given.onlasso) given.onlasso(this.trace);
      else if (down && !dragging) given.onclick?.(x, y, event);
      this.trace = null;
      down = null;
      dragging = false;
      this.drawOver();
    });
    over.addEventListener("pointerleave", () => this.showTip(null, null));
    over.addEventListener("keydown", (event) => {
      if (given.onkey?.(event)) event.preventDefault();
    });
  }

  /** @param {number | null} x @param {number | null} y */
  showTip(x, y) {
    const text = x === null || y === null ? (this.given.onmove?.(-1e6, -1e6), null) : (this.given.onmove?.(x, y) ?? null);
    this.tip.hidden = !text;
    if (!text || x === null || y === null) return;
    this.tip.textContent = text;
    const left = Math.min(x + 14, this.width - this.tip.offsetWidth - 2);
    this.tip.style.left = `${Math.max(0, left)}px`;
    this.tip.style.top = `${y + 18 + this.tip.offsetHeight > this.height ? Math.max(0, y - 10 - this.tip.offsetHeight) : y + 18}px`;
  }

  /** The whole picture with title and legend on a ground. @param {Pen} pen @param {View} view @param {number} extra */
  paintAll(pen, view, extra) {
    pen.rect(0, 0, view.width, view.height + extra, { fill: view.colours.paper });
    this.given.paint(pen, view);
    this.given.over?.(pen, view);
    let x = 8;
    let y = view.height + 12;
    for (const entry of this.given.legend?.() ?? []) {
      const wide = 26 + 7 * entry.name.length;
      if (x + wide > view.width && x > 8) [x, y] = [8, y + 20];
      if (y > view.height + extra) break;
      mark(pen, formOf(entry.class), x + 6, y, 4, { fill: colourOf(view.colours, entry.class) });
      pen.text(x + 16, y, entry.name, { color: view.colours.ink });
      x += wide;
    }
  }

  legendHeight() {
    let [x, lines] = [8, 0];
    for (const entry of this.given.legend?.() ?? []) {
      const wide = 26 + 7 * entry.name.length;
      if (lines === 0 || (x + wide > this.width && x > 8)) [x, lines] = [8, lines + 1];
      x += wide;
    }
    return Math.min(10, lines) * 20 + 4;
  }

  savePng() {
    const extra = this.legendHeight();
    const canvas = document.createElement("canvas");
    const dense = Math.max(2, this.dense);
    canvas.width = this.width * dense;
    canvas.height = (this.height + extra) * dense;
    const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    ctx.scale(dense, dense);
    this.paintAll(canvasPen(ctx), { ...this.viewNow(), dense }, extra);
    canvas.toBlob((blob) => blob && download(`${fileName(this.given.title)}.png`, blob));
  }

  saveSvg() {
    const extra = this.legendHeight();
    const pen = svgPen(this.width, this.height + extra, this.given.title);
    this.paintAll(pen, { ...this.viewNow(), dense: 2 }, extra);
    downloadText(`${fileName(this.given.title)}.svg`, pen.done(), "image/svg+xml");
  }
}

/**
 * The mark of a class as a small picture.
 * @param {number} index
 */
export function markIcon(index) {
  const canvas = el("canvas", { width: "28", height: "28", "aria-hidden": "true", class: "mark" });
  const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  ctx.scale(2, 2);
  mark(canvasPen(ctx), index < 0 ? 0 : formOf(index), 7, 7, 4.2, { fill: colourOf(theme(), index) });
  return canvas;
}
