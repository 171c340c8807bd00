// @ts-check
// From values to places on the picture: scales, ticks, grid lines and names.
import { number, shortened } from "../format.js";

/** @typedef {import("./pen.js").Pen} Pen */
/** @typedef {import("./marks.js").Theme} Theme */
/** @typedef {{left: number, top: number, width: number, height: number}} Box */
/**
 * @typedef {object} Scale
 * @property {number} low
 * @property {number} high
 * @property {boolean} [log]
 * @property {string[]} [levels] names of 0, 1, 2, ...
 * @property {string} [title]
 * @property {boolean} [reverse] grows downwards or to the left
 */

/**
 * A scale around values, with a little air.
 * @param {ArrayLike<number>} values
 * @param {Partial<Scale>} [given]
 * @returns {Scale}
 */
export function scaleOf(values, given = {}) {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < values.length; i++) {
    const v = values[i];
    if (v < low) low = v;
    if (v > high) high = v;
  }
  if (given.levels) return { low: -0.5, high: Math.max(0.5, given.levels.length - 0.5), ...given };
  if (low > high) [low, high] = [0, 1];
  const flat = high - low <= 1e-6 * Math.max(Math.abs(low), Math.abs(high));
  const air = given.log ? 0 : flat ? Math.abs(low) * 0.05 || 0.5 : 0.04 * (high - low);
  return { low: low - air, high: high + air, ...given };
}

/**
 * The place of a value between 0 and 1.
 * @param {Scale} scale
 * @param {number} value
 */
export function share(scale, value) {
  const at = scale.log
    ? Math.log(value / scale.low) / Math.log(scale.high / scale.low)
    : (value - scale.low) / (scale.high - scale.low);
  return scale.reverse ? 1 - at : at;
}

/**
 * The value at a place between 0 and 1.
 * @param {Scale} scale
 * @param {number} at
 */
export function valueAt(scale, at) {
  const place = scale.reverse ? 1 - at : at;
  return scale.log ? scale.low * (scale.high / scale.low) ** place : scale.low + place * (scale.high - scale.low);
}

/**
 * Round values for ticks.
 * @param {Scale} scale
 * @param {number} most
 * @returns {number[]}
 */
export function ticks(scale, most) {
  const { low, high } = scale;
  if (scale.levels) {
    const step = Math.max(1, Math.ceil(scale.levels.length / most));
    return scale.levels.map((_, i) => i).filter((i) => i % step === 0);
  }
  if (scale.log && high / low >= 10) {
    const found = [];
    const from = Math.floor(Math.log10(low));
    const to = Math.ceil(Math.log10(high));
    const every = Math.max(1, Math.ceil((to - from) / most));
    for (let e = from; e <= to; e += every) found.push(10 ** e);
    if (found.length < 4 && every === 1) for (let e = from; e <= to; e++) found.push(2 * 10 ** e, 5 * 10 ** e);
    return found.filter((v) => v >= low * 0.999 && v <= high * 1.001).sort((a, b) => a - b);
  }
  const raw = (high - low) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw) ?? raw;
  const found = [];
  for (let i = Math.ceil(low / step); i * step <= high * (1 + 1e-12) + 1e-300; i++) found.push(Number((i * step).toPrecision(12)));
  return found;
}

/** @param {Scale} scale @param {number} value @param {number} most */
const label = (scale, value, most) => (scale.levels ? shortened(scale.levels[value] ?? "", most) : number(value));

/**
 * The box inside the axes.
 * @param {number} width
 * @param {number} height
 * @param {Scale} x
 * @param {Scale} y
 * @returns {Box}
 */
export function insideOf(width, height, x, y) {
  const wide = width > 420;
  const names = y.levels ? Math.min(14, Math.max(3, ...y.levels.map((level) => level.length))) : 6;
  const left = (y.title ? 18 : 2) + 7 * names;
  const bottom = (x.title ? 18 : 2) + 20;
  return { left, top: 8, width: Math.max(10, width - left - (wide ? 14 : 8)), height: Math.max(10, height - bottom - 8) };
}

/**
 * Draw grid lines, ticks, their names and the titles.
 * @param {Pen} pen
 * @param {Box} box
 * @param {Scale} x
 * @param {Scale} y
 * @param {Theme} colours
 * @param {boolean} [overMap] no grid lines inside
 */
export function drawAxes(pen, box, x, y, colours, overMap = false) {
  const { left, top, width, height } = box;
  const right = left + width;
  const bottom = top + height;
  const soft = { color: colours.soft, size: 12 };
  const room = x.levels ? 9 * Math.min(12, Math.max(2, ...x.levels.map((level) => level.length))) : 56;
  for (const tick of ticks(x, Math.max(2, Math.floor(width / room)))) {
    const at = left + share(x, tick) * width;
    if (!overMap) pen.path([at, top, at, bottom], { stroke: colours.grid });
    pen.path([at, bottom, at, bottom + 4], { stroke: colours.line });
    pen.text(at, bottom + 13, label(x, tick, 12), { ...soft, align: "middle" });
  }
  for (const tick of ticks(y, Math.max(2, Math.floor(height / (y.levels ? 16 : 30))))) {
    const at = bottom - share(y, tick) * height;
    if (!overMap) pen.path([left, at, right, at], { stroke: colours.grid });
    pen.path([left - 4, at, left, at], { stroke: colours.line });
    pen.text(left - 7, at, label(y, tick, 14), { ...soft, align: "end" });
  }
  pen.path([left, top, left, bottom, right, bottom], { stroke: colours.line });
  const most = (/** @type {number} */ pixels) => Math.max(6, Math.floor(pixels / 7));
  if (x.title) pen.text(left + width / 2, bottom + 30, shortened(x.title, most(width)), { ...soft, color: colours.ink, align: "middle" });
  if (y.title) pen.text(10, top + height / 2, shortened(y.title, most(height)), { ...soft, color: colours.ink, align: "middle", turn: true });
}
