// @ts-check
// The rows of the table itself: the server sorts, and only what comes into view is fetched.
import { button, eachFrame, el, put } from "./element.js";
import { count, number } from "./format.js";
import { csv, downloadText, fileName } from "./save.js";
import { ask } from "./server.js";
import { say } from "./toast.js";

const ROW = 28;
const BLOCK = 100;

/**
 * @typedef {object} RowTableGiven
 * @property {import("./server.js").View} view
 * @property {number} length
 * @property {string[]} columns features, then the class
 * @property {string[]} numeric those with numbers
 * @property {number[] | null} [rows] only these
 * @property {string} name
 * @property {(row: number) => void} [onpick]
 */

/** @param {RowTableGiven} given */
export function makeRowTable(given) {
  const { view, length } = given;
  const rows = given.rows ?? null;
  const body = el("tbody");
  const heads = el("tr");
  const heading = ["row", ...given.columns];
  const grid = el("table", { "aria-label": given.name, "aria-rowcount": length + 1 }, el("thead", {}, heads), body);
  const root = el("div", { class: "table virtual", tabindex: "0" }, grid);
  const isNumber = heading.map((name, i) => i === 0 || given.numeric.includes(name));
  /** @type {Map<number, Promise<void> | {row: number[], cells: any[][]}>} */
  const blocks = new Map();
  /** @type {{sort: string | null, descending: boolean}} */
  let sorted = { sort: null, descending: false };
  let era = 0;
  /** Digits after the point of each column, so that the points stand below each other. @type {number[]} */
  const digits = heading.map(() => 0);
  /** @param {any[][]} cells */
  const measure = (cells) => {
    for (const line of cells)
      line.forEach((cell, j) => {
        if (typeof cell === "number" && Math.abs(cell) >= 1e-4 && Math.abs(cell) < 1e7) digits[j] = Math.max(digits[j], number(cell).split(".")[1]?.length ?? 0);
      });
  };

  /** @param {number} start @param {number} many */
  const fetchRows = async (start, many) => {
    const { result } = await ask("data.rows", view, { start, count: many, ...sorted, ...(rows ? { rows } : {}) });
    return result;
  };

  /** @param {number} block */
  const load = (block) => {
    if (blocks.has(block)) return;
    const mine = era;
    blocks.set(block, fetchRows(block * BLOCK, BLOCK).then((result) => {
      if (mine !== era) return;
      blocks.set(block, result);
      measure(result.cells);
      render();
    }, (error) => {
      blocks.delete(block);
      say(error instanceof Error ? error.message : String(error), { bad: true });
    }));
  };

  /** @param {number} at */
  const line = (at) => {
    const block = blocks.get(Math.floor(at / BLOCK));
    const held = block && "cells" in block ? block : null;
    const row = held?.row[at % BLOCK];
    if (!held || row === undefined) return el("tr", {}, el("td", { class: "number" }, "…"), el("td", { colspan: given.columns.length }));
    return el("tr", { "aria-rowindex": at + 2, class: given.onpick ? "pickable" : null, onclick: given.onpick ? () => given.onpick?.(row) : null },
      el("td", { class: "number soft" }, String(row)),
      held.cells[at % BLOCK].map((cell, j) => el("td", { class: isNumber[j + 1] ? "number" : null },
        cell === null || cell === undefined ? el("span", { class: "soft" }, "–") : typeof cell === "number" ? number(cell, digits[j]) : String(cell))));
  };

  /** @param {number} height */
  const gap = (height) => {
    const inner = el("td", { colspan: heading.length });
    inner.style.height = `${height}px`;
    const made = el("tr", { class: "gap", "aria-hidden": "true" }, inner);
    made.hidden = height === 0;
    return made;
  };

  const render = () => {
    const from = Math.max(0, Math.floor(root.scrollTop / ROW) - 10);
    const to = Math.min(length, from + Math.ceil((root.clientHeight || 448) / ROW) + 20);
    for (let block = Math.floor(from / BLOCK); block * BLOCK < to; block++) load(block);
    body.replaceChildren(gap(from * ROW));
    for (let at = from; at < to; at++) body.append(line(at));
    body.append(gap((length - to) * ROW));
  };

  heading.forEach((name, i) => {
    const sort = () => {
      const same = sorted.sort === name || (i === 0 && sorted.sort === null);
      sorted = i === 0 ? { sort: null, descending: false } : { sort: name, descending: same ? !sorted.descending : isNumber[i] };
      era++;
      blocks.clear();
      [...heads.children].forEach((head, j) => {
        if (j === i) head.setAttribute("aria-sort", sorted.descending ? "descending" : "ascending");
        else head.removeAttribute("aria-sort");
      });
      root.scrollTop = 0;
      render();
    };
    put(heads, el("th", { scope: "col", class: isNumber[i] ? "number" : null }, button(name, sort)));
  });
  root.addEventListener("scroll", eachFrame(render), { passive: true });

  const save = async () => {
    try {
      /** @type {any[][]} */
      const all = [];
      for (let start = 0; start < length; start += 5000) {
        const part = await fetchRows(start, 5000);
        part.cells.forEach((/** @type {any[]} */ cells, /** @type {number} */ i) => all.push([part.row[i], ...cells]));
        if (part.cells.length === 0) break;
      }
      downloadText(`${fileName(given.name)}.csv`, csv(heading, all), "text/csv");
    } catch (error) {
      say(error instanceof Error ? error.message : String(error), { bad: true });
    }
  };
  render();
  return el("div", { class: "table-frame" }, root,
    el("div", { class: "tools small soft" }, `${count(length)} ${length === 1 ? "row" : "rows"}`, button("CSV", save, { class: "plain", "aria-label": `Save ${given.name} as CSV` })));
}
