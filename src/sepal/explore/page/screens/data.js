// @ts-check
// Data: a tile per column, cautions, and the rows.
import { barsPlot, binNames, drawBars } from "../draw/bars.js";
import { theme } from "../draw/marks.js";
import { canvasPen } from "../draw/pen.js";
import { markIcon } from "../draw/plot.js";
import { button, choice, el, fill } from "../element.js";
import { count, counted, number, percent } from "../format.js";
import { makeRowTable } from "../rowtable.js";
import { changeView, classNames, fileOf, remember, renamed } from "../state.js";
import { makeTable } from "../table.js";
import { readingPart } from "./reading.js";

/** @typedef {import("../main.js").Place} Place */

/** Of a wide table so many columns are shown at first; the search finds the others. */
const FIRST = 48;

/** @param {Place} place */
export function show(place) {
  const { root, view, summary } = place;
  remember(view, "data.summary", {});
  place.showing(`the columns of ${summary.name}`);
  const names = classNames(summary);
  const grid = el("div", { class: "columns" });
  const search = el("input", { type: "search", placeholder: "part of a name", "aria-label": "Find columns", oninput: () => list() });
  const found = el("span", { class: "soft small", role: "status" });
  let all = summary.columns.length <= FIRST + 12;
  const more = el("p", { class: "soft" }, `The first ${FIRST} of ${summary.columns.length} columns. `, button(`Show all ${summary.columns.length}`, () => (all = true, list())));
  const list = () => {
    const wanted = search.value.toLowerCase();
    const shown = summary.columns.filter((column) => column.name.toLowerCase().includes(wanted));
    found.textContent = shown.length === summary.columns.length ? "" : `${shown.length} of ${summary.columns.length}`;
    const first = all || wanted ? shown : shown.slice(0, FIRST);
    fill(grid, first.map((column) => tile(place, column, names)), outside(place, wanted));
    more.hidden = first.length === shown.length;
  };
  list();
  const numeric = summary.columns.filter((column) => column.edges || column.kind === "numeric").map((column) => column.name);
  const columns = [...summary.columns.map((column) => column.name), summary.target];
  fill(root,
    el("h1", {}, "Data"),
    notes(place, names),
    classesOf(place, names),
    el("div", { class: "tools" }, el("h2", {}, "Columns"), summary.columns.length > 12 ? search : null, found,
      view.left_out.length ? button("Bring all back", () => changeView({ left_out: [] })) : null),
    summary.columns.length === 0 ? el("div", { class: "empty" }, el("p", {}, "No column is left to tell the classes apart. Bring one back.")) : null,
    grid, more,
    el("details", {}, el("summary", {}, "Columns as a table"), columnTable(place)),
    readingPart(place),
    el("h2", {}, "Rows"),
    makeRowTable({ view, length: summary.n_rows, columns, numeric: summary.classes ? numeric : [...numeric, summary.target], name: `${summary.name} rows` }));
}

/** @param {Place} place @param {string[]} names */
function notes({ view, summary }, names) {
  const list = [...summary.cautions.map((each) => each.text), ...summary.notes];
  const told = renamed(fileOf(view.data));
  if (told) list.unshift(told);
  if (summary.classes && names.length === 1) list.unshift("All rows are of one class: there is nothing to tell apart. Choose another class column above.");
  if (summary.n_rows < 10) list.unshift(`Only ${counted(summary.n_rows, "row")}: whatever is said about so few is little more than a guess.`);
  if (list.length === 0) return el("p", { class: "soft" }, summary.n_missing ? `${counted(summary.n_missing, "cell")} missing.` : "No cell is missing, and nothing looks wrong.");
  return el("div", { class: "note", role: "note" }, list.map((text) => el("p", {}, text)), summary.n_missing ? el("p", { class: "soft" }, `${counted(summary.n_missing, "cell")} missing.`) : null);
}

/** @param {Place} place @param {string[]} names */
function classesOf({ summary }, names) {
  const { classes } = summary;
  if (!classes)
    return el("div", { class: "note" }, el("p", {}, `${summary.target} is a number. Most screens ask for classes. `,
      button("Treat its values as classes", () => changeView({ task: "classify" }))));
  const bare = classes.every((each) => Number.isFinite(Number(each.label)));
  return el("div", {},
    el("ul", { class: "legend" }, classes.map((each, i) => el("li", {}, markIcon(i), `${names[i]} `, el("span", { class: "soft" }, `${count(each.count)} · ${percent(each.count / summary.n_rows)}`)))),
    bare && classes.length > 2 ? el("p", { class: "small soft" }, `The classes are numbers. `, button("Treat the class as a number", () => changeView({ task: "regress" }), { class: "plain" })) : null);
}

/** @param {any} column */
function told(column) {
  if (column.edges) return `${number(column.low)} to ${number(column.high)}, mean ${number(column.mean)}`;
  const levels = column.levels ?? [];
  return `${levels.slice(0, 6).join(", ")}${levels.length > 6 ? ", …" : ""}`;
}

/** @param {Place} place @param {any} column @param {string[]} names */
function tile({ view, summary }, column, names) {
  const canvas = el("canvas", { role: "img", "aria-label": `${column.name}: ${told(column)}. Open for the table.` });
  whenSeen(canvas, () => paintTile(canvas, column));
  const kind = choice([["numeric", "numeric"], ["nominal", "nominal"], ["ordinal", "ordinal"], ["text", "text"]], column.kind, (value) => changeView({ kinds: { ...view.kinds, [column.name]: value } }), { "aria-label": `Kind of ${column.name}` });
  const missing = column.n_missing ? `${percent(column.n_missing / summary.n_rows)} missing` : `${count(column.n_distinct)} distinct`;
  return el("section", { class: "column", "aria-label": column.name },
    el("h3", { title: column.name }, column.name),
    el("div", { class: "line" }, kind, el("span", { class: column.n_missing ? "" : "soft" }, missing)),
    canvas,
    el("p", { class: "levels", title: told(column) }, told(column)),
    el("div", { class: "line" }, button("Enlarge", () => enlarge(column, names), { class: "plain", "aria-label": `Enlarge ${column.name}` }),
      button("Leave out", () => changeView({ left_out: [...view.left_out, column.name] }), { class: "plain", "aria-label": `Leave out ${column.name}` })));
}

/** @param {HTMLCanvasElement} canvas @param {any} column */
function paintTile(canvas, column) {
  const dense = devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  canvas.width = Math.max(1, Math.round(width * dense));
  canvas.height = Math.max(1, Math.round(height * dense));
  const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  ctx.scale(dense, dense);
  const colours = theme();
  drawBars(canvasPen(ctx), column, { left: 0, top: 2, width, height: height - 3 }, colours);
  canvasPen(ctx).path([0, height - 0.5, width, height - 0.5], { stroke: colours.line });
}

/** Draw what comes into view, and again when its width or the theme changes. @param {HTMLCanvasElement} canvas @param {() => void} draw */
function whenSeen(canvas, draw) {
  let seen = false;
  new IntersectionObserver((entries) => {
    if (entries.some((entry) => entry.isIntersecting) && !seen) {
      seen = true;
      new ResizeObserver(draw).observe(canvas);
      new MutationObserver(draw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    }
  }, { rootMargin: "200px" }).observe(canvas);
}

/** @param {any} column @param {string[]} names */
function enlarge(column, names) {
  const box = el("dialog", { onclose: () => box.remove(), "aria-label": column.name });
  const plot = barsPlot(column, names);
  fill(box, plot.root, el("p", { class: "soft small" }, told(column)), el("div", { class: "tools" }, button("Close", () => box.close(), { class: "main" })));
  document.body.append(box);
  box.showModal();
}

const WHY = { row_number: "numbers the rows", identifier: "names each row", many_levels: "too many different values to compare", text: "free text", asked: "set apart when the file was read" };

/** A column that was set apart is used once its kind is given; bundled sets stay as they are. @param {import("../server.js").View} view @param {any} column */
function useApart(view, column) {
  if (!fileOf(view.data)) return null;
  const kind = { row_number: "numeric", text: "text" }[/** @type {string} */ (column.why)] ?? "nominal";
  return () => changeView({ kinds: { ...view.kinds, [column.name]: kind } });
}

/** Columns that are not used, with the reason. @param {Place} place @param {string} wanted */
function outside({ view, summary }, wanted) {
  const gone = [
    ...summary.left_out.map((name) => ({ name, why: "left out by you", back: () => changeView({ left_out: view.left_out.filter((each) => each !== name) }) })),
    ...summary.apart.map((each) => ({ name: each.name, why: WHY[/** @type {keyof typeof WHY} */ (each.why)] ?? each.why, back: useApart(view, each) })),
  ];
  return gone.filter((each) => each.name.toLowerCase().includes(wanted)).map((each) => el("section", { class: "column out", "aria-label": `${each.name}, not used` },
    el("h3", { title: each.name }, each.name), el("p", { class: "small" }, each.why), each.back ? button("Bring back", each.back, { "aria-label": `Bring back ${each.name}` }) : null));
}

/** @param {Place} place */
function columnTable({ summary }) {
  const { columns } = summary;
  return makeTable({ name: `${summary.name} columns`, columns: [
    { title: "column", values: columns.map((each) => each.name) },
    { title: "kind", values: columns.map((each) => each.kind) },
    { title: "missing", values: columns.map((each) => each.n_missing) },
    { title: "distinct", values: columns.map((each) => each.n_distinct) },
    { title: "lowest", values: columns.map((each) => each.low ?? NaN) },
    { title: "mean", values: columns.map((each) => each.mean ?? NaN) },
    { title: "highest", values: columns.map((each) => each.high ?? NaN) },
    { title: "most frequent", values: columns.map((each) => {
      const sums = each.counts.map((/** @type {number[]} */ bin) => bin.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b, 0));
      return binNames(each)[sums.indexOf(Math.max(...sums))] ?? "–";
    }) },
  ] }).root;
}
