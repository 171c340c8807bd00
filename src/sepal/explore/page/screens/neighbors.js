// @ts-check
// Neighbours: the live decision map, the error over k above it, and the neighbours of a row beside it.
import { Curves } from "../draw/curves.js";
import { Scatter } from "../draw/scatter.js";
import { choice, el, field, fill } from "../element.js";
import { counted } from "../format.js";
import { axesFields, axesFrom, axesQuery, gridOf, planeOf } from "../plane.js";
import { makeRunner } from "../runner.js";
import { flat, latest, soon } from "../server.js";
import { changeView, offered, otherRows, parametersOf, remember } from "../state.js";
import { say } from "../toast.js";
import { asNeighbors, neighborPanel } from "./neighbor_panel.js";
import { unfit } from "./separability.js";

/** @typedef {import("../main.js").Place} Place */

/** Above so many rows the curve waits for its Start button. */
const QUICK = 5000;

/** @param {Place} place */
export async function show(place) {
  const { root, view, summary, query } = place;
  const stop = unfit(place, "Neighbours");
  if (stop) {
    fill(root, stop);
    return;
  }
  const axes = axesFrom(place);
  const most = Math.max(1, Math.min(summary.n_rows - 1, 200));
  const now = {
    k: Math.min(most, Math.max(1, Math.round(Number(query.k) || 5))), weights: query.weights ?? "uniform",
    row: query.row === undefined ? null : Number(query.row), plane: query.plane === "yes",
  };
  const keep = () => place.keep({ ...axesQuery(axes), k: now.k, weights: now.weights === "uniform" ? null : now.weights, row: now.row, plane: now.plane ? "yes" : null });

  const scatter = new Scatter({ title: "Decision map", onpick: (row) => pick(row), onlasso: (rows) => say(rows.length ? `${counted(rows.length, "row")} inside; click one for its neighbours.` : "No row inside."), onkey: (event) => mapKey(event) });
  const curve = new Curves({ title: "Share of rows answered wrongly, over k", xTitle: "k", yTitle: "error", ratio: 0.3, tallest: 210, onmark: (k) => setK(k) });
  const panel = neighborPanel(place, { onplane: (plane) => (now.plane = plane, keep(), askRow()), onpick: (row) => pick(row) }, now.plane);

  const slider = el("input", { type: "range", min: "1", max: String(most), step: "1", value: String(now.k), "aria-label": "k, the number of neighbours", oninput: () => setK(Number(slider.value)) });
  const number = el("input", { type: "number", min: "1", max: String(most), value: String(now.k), "aria-label": "k", onchange: () => setK(Number(number.value)) });

  const askMap = latest("neighbors.map", (answer, asked) => {
    if (!place.alive()) return;
    const [grid, extent] = gridOf(answer.result);
    scatter.plot.entitle(`Decision map, k = ${asked.k}`);
    scatter.showMap(grid, extent);
    place.showing(`the map of k = ${asked.k}`);
    remember(view, "neighbors.map", answer.parameters);
    root.dataset.k = String(asked.k);
    if (asked.k === 1) askCells(view, { ...axes });
  }, (error) => say(error instanceof Error ? error.message : String(error), { bad: true }));
  const askCells = latest("neighbors.voronoi", (answer) => {
    if (!place.alive() || now.k !== 1) return;
    const lines = flat(answer.result.lines);
    const between = answer.result.between;
    /** @type {number[][]} */
    const paths = [[], []];
    for (let i = 0; i < lines.length / 4; i++) paths[between[i] ? 1 : 0].push(...lines.subarray(4 * i, 4 * i + 4), NaN, NaN);
    scatter.strokes = [{ path: paths[0], width: 0.5 }, { path: paths[1], width: 1.4 }];
    scatter.plot.draw();
  }, () => undefined);
  const askNeighbors = latest("neighbors.of", (answer) => {
    if (!place.alive()) return;
    const found = asNeighbors(answer);
    scatter.choose(found.row ?? -1, found.neighbors.map((each) => each.row));
    panel.show(found);
    remember(view, "neighbors.of", answer.parameters);
  }, (error) => say(error instanceof Error ? error.message : String(error), { bad: true }));

  const redraw = () => {
    scatter.strokes = [];
    askMap(view, { ...axes, k: now.k, weights: now.weights });
    askRow();
    keep();
  };
  const askRow = () => {
    if (now.row !== null) askNeighbors(view, { row: now.row, ...axes, k: now.k, weights: now.weights, plane: now.plane });
  };
  /** @param {number} row */
  const pick = (row) => {
    now.row = row;
    askRow();
    keep();
  };
  /** @param {number} wanted */
  const setK = (wanted) => {
    const k = Math.min(most, Math.max(1, Math.round(wanted) || 1));
    now.k = k;
    slider.value = number.value = String(k);
    curve.mark(k);
    redraw();
  };
  /** @param {KeyboardEvent} event */
  const mapKey = (event) => {
    const step = { "+": 1, "-": -1 }[event.key];
    if (step !== undefined) setK(now.k + step);
    return step !== undefined;
  };
  const newPlane = async () => {
    try {
      const plane = await planeOf(place, axes);
      scatter.show(plane.cloud, plane.x, plane.y);
      undrawn.textContent = plane.missing ? `${counted(plane.missing, "row")} with a missing cell in these columns ${plane.missing === 1 ? "is" : "are"} not drawn.` : "";
      redraw();
      if (summary.n_rows <= QUICK) askCurve();
    } catch (error) {
      say(error instanceof Error ? error.message : String(error), { bad: true });
    }
  };

  const test = el("span");
  const undrawn = el("p", { class: "small soft", role: "status" });
  const curveParameters = () => ({ ...axes, weights: now.weights, plane: true, test: testFile });
  /** @type {string | null} */
  let testFile = query.test ?? null;
  /** @param {any} result */
  const showCurve = (result) => {
    /** @param {any} score */
    const wrong = (score) => Float64Array.from(flat(score), (v) => 1 - v);
    const ks = flat(result.k);
    const low = Float64Array.from(flat(result.score), (v, i) => 1 - v - flat(result.standard_error)[i]);
    const high = Float64Array.from(flat(result.score), (v, i) => 1 - v + flat(result.standard_error)[i]);
    curve.show([
      { name: "leave-one-out", x: ks, y: wrong(result.score), low, high },
      ...(result.training ? [{ name: "training", x: ks, y: wrong(result.training), dash: [5, 4], colour: 7 }] : []),
      ...(result.test ? [{ name: "test file", x: ks, y: wrong(result.test), colour: 5 }] : []),
    ], now.k, result.best_k ? [{ x: result.best_k, name: `best k ${result.best_k}` }] : []);
  };
  const askCurve = latestCurve(place, curveParameters, showCurve);
  const runner = makeRunner({ action: "neighbors.curve", view, parameters: curveParameters, label: "Work out the error curve", about: `leave-one-out for every k over ${counted(summary.n_rows, "row")}`, show: (answer) => showCurve(answer.result) });
  const others = otherRows(view.data);
  if (others.length)
    fill(test, field("test file", choice([["", "none"], ...others.map((/** @type {any} */ each) => /** @type {[string, string]} */ ([each.data, each.name ?? each.data]))], testFile ?? "", (value) => {
      testFile = value || null;
      if (summary.n_rows <= QUICK) askCurve();
      else runner.check();
    })));

  fill(root,
    el("h1", {}, "Neighbours"),
    el("p", { class: "lead" }, "Who is near decides. Move k and watch the borders; click a row to see its neighbours."),
    el("div", { class: "tools" }, axesFields(place, axes, newPlane),
      field("weights", choice(words("weights", ["uniform", "distance"]), now.weights, (value) => (now.weights = value, redraw(), summary.n_rows <= QUICK ? askCurve() : runner.check()))),
      field("scale", choice(offered.scales.map((/** @type {string} */ each) => [each, each]), view.scale, (scale) => changeView({ scale }), { id: "scale" })),
      field("distance", choice(offered.distances.map((/** @type {string} */ each) => [each, each]), view.distance, (distance) => changeView({ distance }), { id: "distance" })), test),
    el("div", { class: "two" },
      el("div", {}, summary.n_rows > QUICK ? runner.root : null, curve.root, el("div", { class: "tools slide" }, el("span", {}, "k"), number, slider), scatter.root, undrawn),
      panel.root));
  if (summary.n_rows > QUICK) runner.resume();
  panel.empty();
  newPlane();
}

/** @param {string} name @param {string[]} otherwise @returns {[string, string][]} */
function words(name, otherwise) {
  const found = parametersOf("neighbors.map", [name])[0]?.choices;
  return (found?.length ? found : otherwise).map((/** @type {string} */ word) => [word, word]);
}

/** The curve of a small table, without a button. @param {Place} place @param {() => any} parameters @param {(result: any) => void} then */
function latestCurve(place, parameters, then) {
  let wanted = 0;
  return async () => {
    const mine = ++wanted;
    try {
      const answer = await soon("neighbors.curve", place.view, parameters());
      if (mine !== wanted || !place.alive()) return;
      then(answer.result);
      remember(place.view, "neighbors.curve", answer.parameters);
    } catch (error) {
      if (place.alive() && mine === wanted) say(error instanceof Error ? error.message : String(error), { bad: true });
    }
  };
}
