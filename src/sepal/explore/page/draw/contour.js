// @ts-check
// Lines on which a function of the plane has one value: marching squares, and their pieces joined end to end.

/**
 * @param {ArrayLike<number>} values row by row, the lowest y first
 * @param {ArrayLike<number>} xs
 * @param {ArrayLike<number>} ys
 * @param {number} level
 * @returns {number[]} x, y, x, y, NaN, NaN, ... in the units of xs and ys
 */
export function contour(values, xs, ys, level) {
  const width = xs.length;
  /** @type {number[][]} x, y of both ends and the edges of the grid they lie on */
  const pieces = [];
  /** @param {number} a @param {number} b */
  const part = (a, b) => (level - a) / (b - a);
  for (let j = 0; j + 1 < ys.length; j++)
    for (let i = 0; i + 1 < width; i++) {
      const at = j * width + i;
      const [a, b, c, d] = [values[at], values[at + 1], values[at + width + 1], values[at + width]];
      const [x0, x1, y0, y1] = [xs[i], xs[i + 1], ys[j], ys[j + 1]];
      /** @type {[number, number, number][]} */
      const cuts = [];
      if (a < level !== b < level) cuts.push([x0 + part(a, b) * (x1 - x0), y0, 2 * at]);
      if (b < level !== c < level) cuts.push([x1, y0 + part(b, c) * (y1 - y0), 2 * (at + 1) + 1]);
      if (d < level !== c < level) cuts.push([x0 + part(d, c) * (x1 - x0), y1, 2 * (at + width)]);
      if (a < level !== d < level) cuts.push([x0, y0 + part(a, d) * (y1 - y0), 2 * at + 1]);
      for (let s = 0; s + 1 < cuts.length; s += 2) pieces.push([...cuts[s], ...cuts[s + 1]]);
    }
  return joined(pieces);
}

/** Pieces that share an edge of the grid as one line, so that dashes run on. @param {number[][]} pieces */
function joined(pieces) {
  /** @type {Map<number, number[]>} */
  const at = new Map();
  pieces.forEach((piece, i) => {
    for (const edge of [piece[2], piece[5]]) at.set(edge, [...(at.get(edge) ?? []), i]);
  });
  const used = new Uint8Array(pieces.length);
  /** Points from an edge on. @param {number} edge */
  const follow = (edge) => {
    const points = [];
    for (let next = at.get(edge)?.find((i) => !used[i]); next !== undefined; next = at.get(edge)?.find((i) => !used[i])) {
      used[next] = 1;
      const [x0, y0, first, x1, y1, last] = pieces[next];
      points.push(first === edge ? [x1, y1] : [x0, y0]);
      edge = first === edge ? last : first;
    }
    return points;
  };
  /** @type {number[]} */
  const path = [];
  pieces.forEach((piece, i) => {
    if (used[i]) return;
    used[i] = 1;
    const before = follow(piece[2]).reverse();
    path.push(...[...before, [piece[0], piece[1]], [piece[3], piece[4]], ...follow(piece[5])].flat(), NaN, NaN);
  });
  return path;
}
