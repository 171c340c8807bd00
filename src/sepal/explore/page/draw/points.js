// @ts-check
// Rows as points: those at one place become one mark whose area tells how many, and very many are set pixel by pixel.
import { colourOf, formOf, mark, pixel, stamp } from "./marks.js";

/** @typedef {import("./pen.js").Pen} Pen */
/** @typedef {import("./marks.js").Theme} Theme */
/**
 * Places with what is there: `members` holds the rows of place i from `start[i]` to `start[i + 1]`.
 * @typedef {object} Places
 * @property {Float64Array} x
 * @property {Float64Array} y
 * @property {Int32Array} classes
 * @property {Int32Array} counts
 * @property {Int32Array} start
 * @property {Int32Array} members
 * @property {number} largest
 * @property {number} missing rows without a place
 */

const FEW = 2500;

/**
 * Rows of one class at exactly one place, found by hashing the bits of their coordinates. Rows with a missing
 * coordinate have no place.
 * @param {ArrayLike<number>} x
 * @param {ArrayLike<number>} y
 * @param {ArrayLike<number>} classes
 * @returns {Places}
 */
export function placesOf(x, y, classes) {
  const n = x.length;
  let size = 16;
  while (size < 2 * n) size *= 2;
  const table = new Int32Array(size).fill(-1);
  const of = new Int32Array(n);
  const first = new Int32Array(n);
  const counts = new Int32Array(n);
  const pair = new Float64Array(2);
  const bits = new Int32Array(pair.buffer);
  let found = 0;
  let missing = 0;
  for (let i = 0; i < n; i++) {
    if (Number.isNaN(x[i]) || Number.isNaN(y[i])) {
      of[i] = -1;
      missing++;
      continue;
    }
    pair[0] = x[i] + 0;
    pair[1] = y[i] + 0;
    let hash = Math.imul(bits[0] ^ Math.imul(bits[1], 0x9e3779b1), 0x85ebca6b) ^ Math.imul(bits[2] ^ Math.imul(bits[3], 0xc2b2ae35), 0x27d4eb2f);
    hash = Math.imul(hash ^ (hash >>> 15) ^ Math.imul(classes[i] + 1, 0x165667b1), 0x2c1b3c6d);
    let slot = (hash ^ (hash >>> 13)) & (size - 1);
    let at = table[slot];
    while (at >= 0 && !(x[first[at]] === x[i] && y[first[at]] === y[i] && classes[first[at]] === classes[i])) {
      slot = (slot + 1) & (size - 1);
      at = table[slot];
    }
    if (at < 0) {
      at = found++;
      table[slot] = at;
      first[at] = i;
    }
    of[i] = at;
    counts[at]++;
  }
  const start = new Int32Array(found + 1);
  for (let i = 0; i < found; i++) start[i + 1] = start[i] + counts[i];
  const next = start.slice();
  const members = new Int32Array(n - missing);
  for (let i = 0; i < n; i++) if (of[i] >= 0) members[next[of[i]]++] = i;
  const places = { x: new Float64Array(found), y: new Float64Array(found), classes: new Int32Array(found), counts: counts.slice(0, found), start, members, largest: 1, missing };
  for (let i = 0; i < found; i++) {
    places.x[i] = x[first[i]];
    places.y[i] = y[first[i]];
    places.classes[i] = classes[first[i]];
    if (counts[i] > places.largest) places.largest = counts[i];
  }
  return places;
}

/**
 * The radius of a mark: its area grows with the number of rows, up to eight times the smallest radius.
 * @param {number} count
 * @param {number} largest
 * @param {number} small
 */
export function radiusOf(count, largest, small) {
  const most = Math.min(Math.sqrt(largest), 5);
  return largest <= 1 ? small : small * (1 + ((most - 1) * (Math.sqrt(count) - 1)) / (Math.sqrt(largest) - 1));
}

/** The smallest radius for so many places. @param {number} many */
export const smallRadius = (many) => (many > 20000 ? 1.2 : many > FEW ? 1.7 : many > 400 ? 2.6 : 3.4);

/**
 * Draw all places. `at(i)` would cost a call for each: the two affine maps are given as numbers.
 * @param {Pen} pen
 * @param {Places} places
 * @param {{ax: number, bx: number, ay: number, by: number, width: number, height: number}} to pixels: ax * x + bx
 * @param {Theme} colours
 * @param {number} dense pixels of the screen for one of the page
 * @param {Uint8Array | null} [faint] places that are drawn in grey
 */
export function drawPlaces(pen, places, to, colours, dense, faint = null) {
  const many = places.x.length;
  const small = smallRadius(many);
  if (many > FEW) {
    pen.image(splat(places, to, colours, dense, small, faint), 0, 0, to.width, to.height, true);
    return;
  }
  const order = Array.from({ length: many }, (_, i) => i);
  if (places.largest > 1) order.sort((a, b) => places.counts[b] - places.counts[a]);
  for (const i of order) {
    const grey = faint !== null && faint[i] === 1;
    mark(pen, formOf(places.classes[i]), to.ax * places.x[i] + to.bx, to.ay * places.y[i] + to.by, radiusOf(places.counts[i], places.largest, small), {
      fill: grey ? colours.grid : colourOf(colours, places.classes[i]), stroke: colours.card, width: 0.8, alpha: grey ? 0.7 : 0.9,
    });
  }
}

/**
 * Marks as pixels, without asking the canvas for each: a hundred thousand in some tens of milliseconds.
 * @param {Places} places
 * @param {{ax: number, bx: number, ay: number, by: number, width: number, height: number}} to
 * @param {Theme} colours
 * @param {number} dense
 * @param {number} small
 * @param {Uint8Array | null} faint
 */
function splat(places, to, colours, dense, small, faint) {
  const width = Math.max(1, Math.round(to.width * dense));
  const height = Math.max(1, Math.round(to.height * dense));
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const image = ctx.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  /** @type {Map<number, Int16Array>} */
  const stamps = new Map();
  const inks = colours.classes.map((colour) => pixel(colour));
  const grey = pixel(colours.grid);
  const { x, y, classes, counts } = places;
  for (const pass of faint === null ? [0] : [1, 0])
    for (let i = 0; i < x.length; i++) {
      if (faint !== null && faint[i] !== pass) continue;
      const cx = Math.round((to.ax * x[i] + to.bx) * dense);
      const cy = Math.round((to.ay * y[i] + to.by) * dense);
      const form = classes[i] < 0 ? 0 : formOf(classes[i]);
      const size = Math.round(4 * dense * radiusOf(counts[i], places.largest, small));
      const key = form + 8 * size;
      let covered = stamps.get(key);
      if (covered === undefined) stamps.set(key, (covered = stamp(form, size / 4)));
      const ink = pass === 1 || classes[i] < 0 ? grey : inks[classes[i] % 8];
      for (let j = 0; j < covered.length; j += 2) {
        const px = cx + covered[j];
        const py = cy + covered[j + 1];
        if (px >= 0 && px < width && py >= 0 && py < height) pixels[py * width + px] = ink;
      }
    }
  ctx.putImageData(image, 0, 0);
  return canvas;
}

/**
 * The place nearest to a point of the picture, or -1 if none is within `reach` pixels.
 * @param {Places} places
 * @param {{ax: number, bx: number, ay: number, by: number}} to
 * @param {number} px
 * @param {number} py
 * @param {number} reach
 */
export function placeNear(places, to, px, py, reach) {
  let best = -1;
  let least = reach * reach;
  for (let i = 0; i < places.x.length; i++) {
    const dx = to.ax * places.x[i] + to.bx - px;
    const dy = to.ay * places.y[i] + to.by - py;
    const d = dx * dx + dy * dy;
    if (d < least) {
      least = d;
      best = i;
    }
  }
  return best;
}

/**
 * Whether a point is inside a polygon (x0, y0, x1, y1, ...), by counting crossings.
 * @param {number[]} polygon
 * @param {number} x
 * @param {number} y
 */
export function inside(polygon, x, y) {
  let within = false;
  for (let i = 0, j = polygon.length - 2; i < polygon.length; j = i, i += 2) {
    const [xi, yi, xj, yj] = [polygon[i], polygon[i + 1], polygon[j], polygon[j + 1]];
    if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) within = !within;
  }
  return within;
}
