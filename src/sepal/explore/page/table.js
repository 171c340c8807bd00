// @ts-check
// A table that sorts by any column and stays quick at a hundred thousand rows: only the rows in view exist.
import { button, eachFrame, el, fill, put } from "./element.js";
import { count, number } from "./format.js";
import { csv, downloadText, fileName } from "./save.js";

/**
 * @typedef {object} Column
 * @property {string} title
 * @property {ArrayLike<any>} values
 * @property {number} [digits]
 * @property {string} [help]
 * @property {(value: any, row: number) => (Node | string)} [show]
 * @property {(value: any) => string} [text] for CSV and reading, where `values` are codes
 * @property {(from: number, to: number) => void} [need] called before rows of a column that loads are shown
 */
/**
 * @typedef {object} TableGiven
 * @property {Column[]} columns
 * @property {string} name of the file, and for screen readers
 * @property {(row: number) => void} [onpick]
 * @property {boolean} [wrap] cells may have several lines; for short tables
 * @property {{column: number, down: boolean}} [sorted] at first
 */

const ROW = 28;
const SPARE = 12;

/** @param {any} a @param {any} b */
function compare(a, b) {
  const noA = a === null || a === undefined || a !== a;
  const noB = b === null || b === undefined || b !== b;
  if (noA || noB) return Number(noA) - Number(noB);
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), undefined, { numeric: true });
}

/**
 * The order of the rows by one column; equal ones stay as they were, missing ones come last.
 * @param {ArrayLike<any>} values
 * @param {boolean} down
 * @returns {Uint32Array}
 */
export function orderBy(values, down) {
  const order = Uint32Array.from({ length: values.length }, (_, i) => i);
  if (ArrayBuffer.isView(values)) {
    const v = /** @type {ArrayLike<number>} */ (/** @type {unknown} */ (values));
    const sign = down ? -1 : 1;
    return order.sort((a, b) => {
      const [x, y] = [v[a], v[b]];
      if (x !== x || y !== y) return Number(x !== x) - Number(y !== y) || a - b;
      return sign * (x - y) || a - b;
    });
  }
  const known = (/** @type {number} */ i) => values[i] !== null && values[i] !== undefined && values[i] === values[i];
  return order.sort((a, b) => {
    const c = compare(values[a], values[b]);
    return (down && known(a) && known(b) ? -c : c) || a - b;
  });
}

/** @param {Column} column */
const isNumber = (column) => {
  if (column.title === "") return false;
  if (ArrayBuffer.isView(column.values)) return !column.text;
  for (let i = 0; i < Math.min(column.values.length, 50); i++) {
    const value = column.values[i];
    if (value !== null && value !== undefined && value !== "") return typeof value === "number";
  }
  return false;
};

/**
 * @param {TableGiven} given
 */
export function makeTable(given) {
  const length = Math.max(0, ...given.columns.map((column) => column.values.length));
  const virtual = !given.wrap || length > 400;
  const body = el("tbody");
  const heads = el("tr");
  const grid = el("table", { "aria-label": given.name, "aria-rowcount": length + 1 }, el("thead", {}, heads), body);
  const root = el("div", { class: virtual ? "table virtual" : "table", tabindex: "0" }, grid);
  const numeric = given.columns.map(isNumber);
  /** @type {Uint32Array | null} */
  let order = null;
  let sorted = given.sorted ?? { column: -1, down: false };
  let chosen = -1;

  /** @param {number} i @param {number} row */
  const cell = (i, row) => {
    const column = given.columns[i];
    const value = column.values[row];
    const text = column.show ? column.show(value, row) : column.text ? column.text(value) : typeof value === "number" ? number(value, column.digits) : (value ?? "–");
    return el("td", { class: numeric[i] ? "number" : null, title: virtual && typeof text === "string" && text.length > 24 ? text : null }, text);
  };

  /** @param {number} at */
  const line = (at) => {
    const row = order ? order[at] : at;
    return el("tr", { "aria-rowindex": at + 2, class: [given.onpick ? "pickable" : "", row === chosen ? "chosen" : ""].join(" ").trim() || null, onclick: given.onpick ? () => pick(row) : null },
      given.columns.map((_, i) => cell(i, row)));
  };

  const render = () => {
    if (!virtual) {
      fill(body, Array.from({ length }, (_, at) => line(at)));
      return;
    }
    const from = Math.max(0, Math.floor(root.scrollTop / ROW) - SPARE);
    const to = Math.min(length, from + Math.ceil((root.clientHeight || 448) / ROW) + 2 * SPARE);
    for (const column of given.columns) column.need?.(from, to);
    body.replaceChildren(gap(from * ROW));
    for (let at = from; at < to; at++) body.append(line(at));
    body.append(gap((length - to) * ROW));
  };

  /** @param {number} height */
  const gap = (height) => {
    const inner = el("td", { colspan: given.columns.length });
    inner.style.height = `${height}px`;
    const made = el("tr", { class: "gap", "aria-hidden": "true" }, inner);
    made.hidden = height === 0;
    return made;
  };

  /** @param {number} column @param {boolean} down */
  const sort = (column, down) => {
    sorted = { column, down };
    const by = given.columns[column];
    // Numbers are sorted as numbers, whatever words they are shown in.
    order = column < 0 ? null : orderBy(by.text && !numeric[column] && !ArrayBuffer.isView(by.values) ? Array.from(by.values, by.text) : by.values, down);
    [...heads.children].forEach((head, i) => {
      if (i === column) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    root.scrollTop = 0;
    render();
  };

  /** @param {number} row */
  const pick = (row) => {
    chosen = row;
    render();
    given.onpick?.(row);
  };

  given.columns.forEach((column, i) => {
    const head = el("th", { scope: "col", class: numeric[i] ? "number" : null },
      column.title === "" ? null : button(column.title, () => sort(i, sorted.column === i ? !sorted.down : numeric[i]), { title: column.help ?? null }));
    put(heads, head);
  });
  root.addEventListener("scroll", eachFrame(render), { passive: true });
  root.addEventListener("keydown", (event) => {
    if (!given.onpick || event.target !== root) return;
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const now = order ? order.indexOf(chosen) : chosen;
    const next = Math.min(length - 1, Math.max(0, now + step));
    root.scrollTop = Math.max(Math.min(root.scrollTop, next * ROW), next * ROW + 2 * ROW + 8 - root.clientHeight);
    pick(order ? order[next] : next);
  });
  if (sorted.column >= 0) sort(sorted.column, sorted.down);
  else render();

  const save = button("CSV", () => downloadText(`${fileName(given.name)}.csv`, asCsv(), "text/csv"), { class: "plain", "aria-label": `Save ${given.name} as CSV` });
  const asCsv = () => {
    const rows = Array.from({ length }, (_, at) => (order ? order[at] : at));
    return csv(given.columns.map((column) => column.title), rows.map((row) => given.columns.map((column) => (column.text ? column.text(column.values[row]) : column.values[row]))));
  };
  const outer = el("div", { class: "table-frame" }, root, el("div", { class: "tools small soft" }, `${count(length)} ${length === 1 ? "row" : "rows"}`, save));
  return { root: outer, render, pick, sort, asCsv, scroller: root };
}
