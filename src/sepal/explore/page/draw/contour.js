// @ts-check
// Lines on which a function of the plane has one value: marching squares.

/**
 * @param {ArrayLike<number>} values row by row, the lowest y first
 * @param {ArrayLike<number>} xs
 * @param {ArrayLike<number>} ys
 * @param {number} level
 * @returns {number[]} x, y, x, y, NaN, NaN, ... in the units of xs and ys
 */
export function contour(values, xs, ys, level) {
  const width = xs.length;
  /** @type {number[]} */
  const path = [];
  /** @param {number} a @param {number} b */
  const part = (a, b) => (level - a) / (b - a);
  for (let j = 0; j + 1 < ys.length; j++)
    for (let i = 0; i + 1 < width; i++) {
      const at = j * width + i;
      const [a, b, c, d] = [values[at], values[at + 1], values[at + width + 1], values[at + width]];
      const [x0, x1, y0, y1] = [xs[i], xs[i + 1], ys[j], ys[j + 1]];
      /** @type {[number, number][]} */
      const cuts = [];
      if (a < level !== b < level) cuts.push([x0 + part(a, b) * (x1 - x0), y0]);
      if (b < level !== c < level) cuts.push([x1, y0 + part(b, c) * (y1 - y0)]);
      if (d < level !== c < level) cuts.push([x0 + part(d, c) * (x1 - x0), y1]);
      if (a < level !== d < level) cuts.push([x0, y0 + part(a, d) * (y1 - y0)]);
      for (let s = 0; s + 1 < cuts.length; s += 2) path.push(...cuts[s], ...cuts[s + 1], NaN, NaN);
    }
  return path;
}
