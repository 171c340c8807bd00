// @ts-check
// Kernels: the width with the aligned one marked, C, support vectors ringed, margins dashed, and the error surface.
import { contour } from "../draw/contour.js";
import { Scatter } from "../draw/scatter.js";
import { makeSurface } from "../draw/surface.js";
import { button, choice, el, field, fill } from "../element.js";
import { counted, number, percent } from "../format.js";
import { axesFields, axesFrom, axesQuery, gridOf, planeOf } from "../plane.js";
import { makeRunner } from "../runner.js";
import { flat, latest } from "../server.js";
import { parametersOf, remember } from "../state.js";
import { say } from "../toast.js";
import { alignmentPlot, unfit } from "./separability.js";

/** @typedef {import("../main.js").Place} Place */

/** Above so many rows, or classes, of which every pair has a machine, the map waits for its button. */
const QUICK = 2000;
const FEW_CLASSES = 20;

/** A slider whose steps are powers: value = low * (high / low) ** share. @param {string} name @param {number} low @param {number} high @param {number} value @param {(value: number) => void} moved */
function logSlider(name, low, high, value, moved) {
  const share = (/** @type {number} */ v) => Math.round((Math.log(v / low) / Math.log(high / low)) * 200);
  const shown = el("output", { class: "number" });
  const slider = el("input", { type: "range", min: "0", max: "200", value: String(share(value)), "aria-label": name, oninput: () => {
    const at = low * (high / low) ** (Number(slider.value) / 200);
    tell(at);
    moved(Number(at.toPrecision(4)));
  } });
  /** @param {number} at */
  const tell = (at) => {
    shown.textContent = number(at);
    slider.setAttribute("aria-valuetext", number(at));
  };
  tell(value);
  /** @param {number} at */
  const set = (at) => {
    slider.value = String(share(at));
    tell(at);
  };
  const tick = el("span", { class: "tick", hidden: true });
  /** Mark a value on the slider. @param {number} at @param {string} called */
  const mark = (at, called) => {
    tick.hidden = !(at >= low && at <= high);
    tick.style.left = `calc(.5rem + (100% - 1rem) * ${share(at) / 200})`;
    tick.title = `${called} ${number(at)}`;
  };
  return { root: field(name, el("span", { class: "log" }, el("span", { class: "track" }, slider, tick), shown)), set, mark };
}

/** @param {Place} place */
export async function show(place) {
  const { root, view, summary, query } = place;
  const stop = unfit(place, "Kernels");
  if (stop) {
    fill(root, stop);
    return;
  }
  const axes = axesFrom(place);
  const classes = summary.classes?.length ?? 0;
  const quick = summary.n_rows <= QUICK && classes <= FEW_CLASSES;
  const machines = parametersOf("kernels.map", ["machine"])[0]?.choices ?? ["svm", "adatron", "parzen", "fisher", "feature-vectors"];
  const now = { machine: query.machine ?? "svm", width: query.width ? Number(query.width) : /** @type {number | null} */ (null), C: Number(query.C) || 1 };
  const scatter = new Scatter({ title: "Decision map", onpick: () => undefined });
  const said = el("p", { class: "small", role: "status" });
  const keep = () => place.keep({ ...axesQuery(axes), machine: now.machine === "svm" ? null : now.machine, width: now.width, C: now.C === 1 ? null : now.C });

  /** @param {import("../server.js").Answer} answer */
  const showMap = (answer) => {
    if (!place.alive()) return;
    const asked = answer.parameters;
    const result = { ...answer.result.regions, width: answer.result.width, training_accuracy: answer.result.training_accuracy };
    remember(view, "kernels.map", answer.parameters);
    if (result.width) width.set(result.width);
    if (result.width && asked.width === null) width.mark(result.width, "aligned width");
    scatter.strokes = [];
    if (result.decision) {
      const values = flat(result.decision);
      scatter.strokes = [-1, 0, 1].map((level) => ({ path: contour(values, flat(result.xs), flat(result.ys), level), dash: level === 0 ? undefined : [5, 4], width: level === 0 ? 1.8 : 1.2 }));
    }
    scatter.ringed = Array.from(flat(result.ringed_rows)); // they count among the points
    scatter.plot.entitle(`${asked.machine}${result.width ? `, width ${number(result.width)}` : ""}${asked.machine === "svm" || asked.machine === "adatron" ? `, C ${number(asked.C)}` : ""}`);
    scatter.showMap(...gridOf(result));
    place.showing(`the map of ${scatter.plot.given.title}`);
    said.textContent = `${scatter.ringed.length ? `${counted(scatter.ringed.length, "row")} ringed: ${asked.machine === "feature-vectors" ? "feature" : "support"} vectors. ` : ""}${result.training_accuracy === undefined || result.training_accuracy === null ? "" : `${percent(result.training_accuracy)} of the training rows are right.`}`;
  };
  const asked = () => ({ ...axes, machine: now.machine, width: now.width, C: now.C });
  const askMap = latest("kernels.map", showMap, (error) => say(error instanceof Error ? error.message : String(error), { bad: true }));
  const runner = makeRunner({ action: "kernels.map", view, parameters: asked, label: "Draw the map", about: `a machine of ${counted(summary.n_rows, "row")}${classes > FEW_CLASSES ? ` and ${counted(classes, "class", "classes")}` : ""}`, show: showMap });
  /** Redraw where that is cheap; otherwise the button shows that something has changed. */
  const changed = () => {
    keep();
    if (quick) askMap(view, asked());
    else runner.check();
  };
  const width = logSlider("width", 0.001, 100, now.width ?? 0.3, (value) => (now.width = value, changed()));
  const C = logSlider("C", 0.001, 10000, now.C, (value) => (now.C = value, changed()));
  const newPlane = async () => {
    try {
      const plane = await planeOf(place, axes);
      scatter.show(plane.cloud, plane.x, plane.y);
      changed();
    } catch (error) {
      say(error instanceof Error ? error.message : String(error), { bad: true });
    }
  };
  const alignedAt = el("div");
  const alignment = makeRunner({
    action: "kernels.alignment", view, parameters: () => ({ ...axes, plane: true }), label: "Work out the alignment", show: (answer) => {
      width.mark(answer.result.best_width, "aligned width");
      fill(alignedAt, alignmentPlot(answer.result), button(`Use the aligned width ${number(answer.result.best_width)}`, () => (now.width = answer.result.best_width, width.set(answer.result.best_width), changed())));
    },
  });
  fill(root, el("h1", {}, "Kernels"),
    el("p", { class: "lead" }, "How far a row's influence reaches, and how hard errors are punished. Rings are support vectors, dashes the margin."),
    el("div", { class: "tools" }, axesFields(place, axes, newPlane),
      field("machine", choice(machines.map((/** @type {string} */ each) => [each, each]), now.machine, (value) => (now.machine = value, changed()), { id: "machine" })),
      width.root, button("aligned width", () => (now.width = null, changed())), C.root),
    el("div", { class: "two" }, el("div", {}, quick ? null : runner.root, scatter.root, said),
      el("div", {}, el("h3", {}, "Alignment over width"), alignment.root, alignedAt, el("h3", {}, "Error over C and width"), surfacePart(place, axes, (w, c) => {
        [now.width, now.C, now.machine] = [w, c, "svm"];
        width.set(w);
        C.set(c);
        changed();
      }))));
  alignment.resume();
  newPlane().then(() => (quick ? undefined : runner.resume()));
}

/** @param {Place} place @param {import("../plane.js").Axes} axes @param {(width: number, C: number) => void} use */
function surfacePart({ view }, axes, use) {
  const body = el("div", { hidden: true });
  const said = el("p", { class: "small" });
  /** @type {number[]} */
  let widths = [];
  /** @type {number[]} */
  let Cs = [];
  const surface = makeSurface({ title: "Error over C and width", xTitle: "width", yTitle: "C", valueTitle: "error", onpick: (i, j) => use(widths[i], Cs[j]) });
  fill(body, surface.root, said);
  const runner = makeRunner({
    action: "kernels.surface", view, parameters: () => ({ ...axes, plane: true }), label: "Work out the surface", show: (answer) => {
      const { result } = answer;
      widths = Array.from(flat(result.width));
      Cs = Array.from(flat(result.C));
      body.hidden = false;
      const nearest = (/** @type {number[]} */ values, /** @type {number} */ wanted) => values.reduce((best, v, i) => (Math.abs(Math.log(v / wanted)) < Math.abs(Math.log(values[best] / wanted)) ? i : best), 0);
      const error = flat(result.error); // width by width
      const [i, j] = [nearest(widths, result.best[0]), nearest(Cs, result.best[1])];
      surface.show(widths, Cs, Float64Array.from(error, (_, at) => error[(at % widths.length) * Cs.length + Math.floor(at / widths.length)]), [i, j]);
      said.textContent = `Least error ${percent(error[i * Cs.length + j])} at width ${number(result.best[0])} and C ${number(result.best[1])}; strong cells have few errors, pale ones many. Click a cell for its map.`;
    },
  });
  runner.resume();
  return el("div", {}, runner.root, body);
}
