// @ts-check
// A decision map: the class of every cell of a grid as a quiet colour, stronger where the answer is surer.
import { rgb } from "./marks.js";

/** @typedef {import("./marks.js").Theme} Theme */

const STEPS = 16;

/**
 * @typedef {object} Grid
 * @property {number} width
 * @property {number} height
 * @property {ArrayLike<number>} classes row by row, the lowest y first; below 0 is nothing
 * @property {ArrayLike<number> | null} [sureness] 0 to 1, the share of the vote
 * @property {ArrayLike<number> | null} [cells] which row is nearest: borders are drawn where it changes
 */

/** @type {HTMLCanvasElement | null} */
let kept = null;

/**
 * The map as a picture of one pixel a cell.
 * @param {Grid} grid
 * @param {Theme} colours
 * @param {boolean} [fresh] a canvas of its own, for one that is kept
 * @returns {HTMLCanvasElement}
 */
export function mapImage(grid, colours, fresh = false) {
  const { width, height, classes } = grid;
  const canvas = fresh ? document.createElement("canvas") : (kept ??= document.createElement("canvas"));
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const image = ctx.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  const inks = palette(colours);
  const sure = grid.sureness ?? null;
  for (let row = 0; row < height; row++) {
    const from = (height - 1 - row) * width;
    for (let i = 0; i < width; i++) {
      const at = from + i;
      const c = classes[at];
      if (c < 0) continue;
      const step = sure === null ? STEPS - 1 : Math.min(STEPS - 1, Math.max(0, Math.round(sure[at] * (STEPS - 1))));
      pixels[row * width + i] = inks[(c % 8) * STEPS + step];
    }
  }
  ctx.putImageData(image, 0, 0);
  return canvas;
}

/** @param {Theme} colours */
function palette(colours) {
  const ground = rgb(colours.card);
  const inks = new Uint32Array(8 * STEPS);
  colours.classes.forEach((colour, c) => {
    const own = rgb(colour);
    for (let s = 0; s < STEPS; s++) {
      const much = 0.06 + (0.3 * s) / (STEPS - 1);
      const [r, g, b] = own.map((v, i) => Math.round(ground[i] + (v - ground[i]) * much));
      inks[c * STEPS + s] = ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
    }
  });
  return inks;
}

/**
 * Borders between cells with different values, as one path in shares of the grid (0 to 1, y downwards).
 * @param {ArrayLike<number>} values
 * @param {number} width
 * @param {number} height
 * @returns {number[]}
 */
export function borders(values, width, height) {
  /** @type {number[]} */
  const path = [];
  for (let row = 0; row < height; row++)
    for (let i = 0; i < width; i++) {
      const at = row * width + i;
      const y = 1 - row / height;
      if (i + 1 < width && values[at] !== values[at + 1]) path.push((i + 1) / width, y, (i + 1) / width, y - 1 / height, NaN, NaN);
      if (row + 1 < height && values[at] !== values[at + width]) path.push(i / width, y - 1 / height, (i + 1) / width, y - 1 / height, NaN, NaN);
    }
  return path;
}
