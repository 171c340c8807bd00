// @ts-check
// A class is told by form and colour: 64 classes look different, neighbours in both.

/** @typedef {import("./pen.js").Pen} Pen */
/** @typedef {import("./pen.js").Ink} Ink */
/**
 * @typedef {object} Theme
 * @property {string} paper
 * @property {string} card
 * @property {string} ink
 * @property {string} soft
 * @property {string} grid
 * @property {string} line
 * @property {string} accent
 * @property {string} alarm
 * @property {string[]} classes
 */

/**
 * The colours of the page as it is now, light or dark.
 * @returns {Theme}
 */
export function theme() {
  const style = getComputedStyle(document.documentElement);
  /** @param {string} name */
  const at = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    paper: at("paper"), card: at("card"), ink: at("ink"), soft: at("soft"), grid: at("grid"), line: at("line"),
    accent: at("accent"), alarm: at("alarm"), classes: Array.from({ length: 8 }, (_, i) => at(`k${i}`)),
  };
}

/** @param {number} sides @param {number} turn @param {number} size */
function regular(sides, turn, size) {
  return Array.from({ length: 2 * sides }, (_, i) => {
    const angle = turn + (2 * Math.PI * (i >> 1)) / sides;
    return size * (i % 2 ? Math.sin(angle) : Math.cos(angle));
  });
}
const PLUS = [-0.35, -1, 0.35, -1, 0.35, -0.35, 1, -0.35, 1, 0.35, 0.35, 0.35, 0.35, 1, -0.35, 1, -0.35, 0.35, -1, 0.35, -1, -0.35, -0.35, -0.35];
const CROSS = PLUS.map((_, i) => (i % 2 ? PLUS[i - 1] + PLUS[i] : PLUS[i] - PLUS[i + 1]) * Math.SQRT1_2);
const STAR = Array.from({ length: 20 }, (_, i) => {
  const angle = -Math.PI / 2 + (Math.PI * (i >> 1)) / 5;
  return ((i >> 1) % 2 ? 0.5 : 1.25) * (i % 2 ? Math.sin(angle) : Math.cos(angle));
});
/** Outlines around (0, 0) with about the same area; null is a circle. @type {(number[] | null)[]} */
const FORMS = [
  null, regular(4, Math.PI / 4, 1.25), regular(3, -Math.PI / 2, 1.4), regular(4, 0, 1.3), regular(3, Math.PI / 2, 1.4), PLUS, CROSS, STAR,
];

/** @param {number} i the class */
export const formOf = (i) => (i + Math.floor(i / 8)) % 8;

/** @param {Theme} colours @param {number} i the class; below 0: none */
export const colourOf = (colours, i) => (i < 0 ? colours.soft : colours.classes[i % 8]);

/**
 * One mark.
 * @param {Pen} pen
 * @param {number} form
 * @param {number} x
 * @param {number} y
 * @param {number} r
 * @param {Ink} ink
 */
export function mark(pen, form, x, y, r, ink) {
  const outline = FORMS[form];
  if (outline === null) pen.circle(x, y, r, ink);
  else pen.path(outline.map((v, i) => (i % 2 ? y : x) + r * v), ink, true);
}

/**
 * Which pixels a mark of this form covers, as offsets (dx, dy) from its middle.
 * @param {number} form
 * @param {number} r in pixels of the screen
 * @returns {Int16Array}
 */
export function stamp(form, r) {
  const size = 2 * Math.ceil(1.5 * r) + 3;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = size;
  const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const middle = size / 2;
  ctx.beginPath();
  const outline = FORMS[form];
  if (outline === null) ctx.arc(middle, middle, r, 0, 2 * Math.PI);
  else for (let i = 0; i < outline.length; i += 2) ctx.lineTo(middle + r * outline[i], middle + r * outline[i + 1]);
  ctx.fill();
  const alpha = ctx.getImageData(0, 0, size, size).data;
  const covered = [];
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++) if (alpha[4 * (y * size + x) + 3] > 110) covered.push(x - (size >> 1), y - (size >> 1));
  return Int16Array.from(covered);
}

/**
 * A colour as one 32-bit pixel (little-endian RGBA).
 * @param {string} colour
 * @param {number} [alpha]
 */
export function pixel(colour, alpha = 255) {
  const [r, g, b] = rgb(colour);
  return ((alpha << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

/**
 * Red, green, blue of a colour of the style sheet (#rrggbb).
 * @param {string} colour
 * @returns {[number, number, number]}
 */
export function rgb(colour) {
  const hex = Number.parseInt(colour.slice(1), 16);
  return [(hex >> 16) & 255, (hex >> 8) & 255, hex & 255];
}

/**
 * Two colours mixed: 0 gives the first, 1 the second.
 * @param {string} from
 * @param {string} to
 * @param {number} share
 */
export function mixed(from, to, share) {
  const a = rgb(from);
  const b = rgb(to);
  return `#${a.map((v, i) => Math.round(v + (b[i] - v) * share).toString(16).padStart(2, "0")).join("")}`;
}
