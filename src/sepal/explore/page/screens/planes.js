// @ts-check
// The planes in which neighbours agree most, as small pictures that open on Neighbours.
import { theme } from "../draw/marks.js";
import { canvasPen } from "../draw/pen.js";
import { drawPlaces, placesOf } from "../draw/points.js";
import { el, fill } from "../element.js";
import { counted, number } from "../format.js";
import { planeOf } from "../plane.js";
import { linkTo } from "../state.js";
import { makeTable } from "../table.js";

const SHOWN = 12;

/**
 * @param {import("../main.js").Place} place
 * @param {import("../server.js").View} whole
 * @param {any} result
 */
export function thumbnails(place, whole, result) {
  const shown = result.planes.slice(0, SHOWN);
  const grid = el("div", { class: "thumbs" });
  fill(grid, shown.map((/** @type {any} */ plane) => {
    const canvas = el("canvas", { "aria-hidden": "true" });
    new IntersectionObserver((entries, self) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      self.disconnect();
      paint(place, whole, plane, canvas);
    }).observe(canvas);
    return el("a", { class: "button thumb", href: linkTo("neighbors", whole, { x: plane.first, y: plane.second }) }, canvas, el("span", {}, `${plane.first} × ${plane.second}`), el("span", { class: "soft" }, number(plane.score, 4)));
  }));
  return [
    el("p", { class: "small soft" }, `The share of rows whose nearest row in the plane is of the same class; ${counted(shown.length, "plane")} of ${result.planes.length} shown.`),
    grid,
    el("details", {}, el("summary", {}, "Table behind these pictures"), makeTable({ name: "planes", columns: [
      { title: "across", values: result.planes.map((/** @type {any} */ each) => each.first) },
      { title: "up", values: result.planes.map((/** @type {any} */ each) => each.second) },
      { title: "score", values: result.planes.map((/** @type {any} */ each) => each.score), digits: 4 },
    ] }).root),
    (result.notes ?? []).map((/** @type {string} */ note) => el("p", { class: "small soft" }, note)),
  ];
}

/** @param {import("../main.js").Place} place @param {import("../server.js").View} view @param {any} plane @param {HTMLCanvasElement} canvas */
async function paint(place, view, plane, canvas) {
  const got = await planeOf({ ...place, view }, { x: plane.first, y: plane.second }).catch(() => null);
  if (!got) return;
  const draw = () => {
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    const dense = devicePixelRatio || 1;
    canvas.width = Math.max(1, width * dense);
    canvas.height = Math.max(1, height * dense);
    const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    ctx.scale(dense, dense);
    const ax = (width - 8) / (got.x.high - got.x.low);
    const ay = -(height - 8) / (got.y.high - got.y.low);
    drawPlaces(canvasPen(ctx), placesOf(got.cloud.x, got.cloud.y, got.cloud.classes), { ax, bx: 4 - ax * got.x.low, ay, by: height - 4 - ay * got.y.low, width, height }, theme(), dense);
  };
  new ResizeObserver(draw).observe(canvas);
  new MutationObserver(draw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
}
