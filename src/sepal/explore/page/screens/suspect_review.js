// @ts-check
// Suspects one by one: J and K go on and back, 1 keeps, 2 doubts, N writes a note; the judgements are saved as CSV.
import { button, el } from "../element.js";
import { className, count, counted, number, percent } from "../format.js";
import { csv, downloadText, fileName } from "../save.js";
import { ask } from "../server.js";
import { makeTable } from "../table.js";
import { say } from "../toast.js";
import { asNeighbors, neighborPanel } from "./neighbor_panel.js";

/** @typedef {import("../main.js").Place} Place */

/** @param {Place} place @param {any} result */
export function suspectReview(place, result) {
  const { view, summary } = place;
  const suspects = result.rows;
  const known = [
    `${counted(suspects.length, "row")} of ${count(result.n_checked ?? result.n_rows)} checked ${suspects.length === 1 ? "is" : "are"} outvoted by the neighbours.`,
    ...(result.notes ?? []),
  ];
  if (suspects.length === 0) return el("div", { class: "empty" }, el("p", {}, "No row is outvoted by its neighbours."));
  const key = `sepal-judged ${view.data} ${view.target ?? ""}`;
  /** @type {Record<string, {word: string, note: string}>} */
  const judged = JSON.parse(sessionStorage.getItem(key) ?? "{}");
  let at = 0;
  const panel = neighborPanel(place, { onpick: () => undefined }, false);
  const heading = el("h3", { "aria-live": "polite" });
  const note = el("input", { type: "text", "aria-label": "Note on this row", placeholder: "note", oninput: () => judge(null, note.value) });
  const keepIt = button("Keep (1)", () => judge("keep"));
  const doubt = button("Doubt (2)", () => judge("doubt"));
  const tally = el("span", { class: "soft small", role: "status" });
  const table = makeTable({
    name: "suspects", onpick: (i) => open(i), columns: [
      { title: "row", values: suspects.map((/** @type {any} */ each) => each.row) },
      { title: summary.target, values: suspects.map((/** @type {any} */ each) => className(each.label, summary.target)) },
      { title: "neighbours say", values: suspects.map((/** @type {any} */ each) => className(each.voted, summary.target)) },
      { title: "own share", values: suspects.map((/** @type {any} */ each) => each.own_share), text: percent, help: "share of the neighbours that are of its own class" },
      { title: "margin", values: suspects.map((/** @type {any} */ each) => each.margin ?? NaN), digits: 4, help: "how much nearer its own class is; below 0 another is nearer" },
      { title: "judged", values: suspects, text: (each) => judged[each.row]?.word ?? "", show: (each) => judged[each.row]?.word ?? "" },
    ],
  });
  /** @param {string | null} word @param {string} [text] */
  const judge = (word, text) => {
    const row = suspects[at].row;
    const old = judged[row] ?? { word: "", note: "" };
    judged[row] = { word: word === null ? old.word : old.word === word ? "" : word, note: text ?? old.note };
    sessionStorage.setItem(key, JSON.stringify(judged));
    table.render();
    marks();
    if (word !== null && at + 1 < suspects.length) open(at + 1);
  };
  const marks = () => {
    const own = judged[suspects[at].row];
    keepIt.setAttribute("aria-pressed", String(own?.word === "keep"));
    doubt.setAttribute("aria-pressed", String(own?.word === "doubt"));
    const words = Object.values(judged).map((each) => each.word);
    tally.textContent = `${words.filter((word) => word === "keep").length} kept, ${words.filter((word) => word === "doubt").length} doubted`;
  };
  /** @param {number} i */
  const open = async (i) => {
    at = Math.min(suspects.length - 1, Math.max(0, i));
    const suspect = suspects[at];
    heading.textContent = `${at + 1} of ${suspects.length}: row ${suspect.row}`;
    note.value = judged[suspect.row]?.note ?? "";
    marks();
    try {
      const answer = await ask("neighbors.of", view, { row: suspect.row, k: result.k ?? suspect.neighbors?.length ?? 5 });
      if (place.alive() && suspects[at] === suspect) panel.show(asNeighbors(answer));
    } catch (error) {
      say(error instanceof Error ? error.message : String(error), { bad: true });
    }
  };
  const save = () => {
    const rows = suspects.map((/** @type {any} */ each) => [each.row, each.label, each.voted, number(each.own_share), judged[each.row]?.word ?? "", judged[each.row]?.note ?? ""]);
    downloadText(`${fileName(summary.name)}-judged.csv`, csv(["row", "class", "neighbours say", "own share", "judged", "note"], rows), "text/csv");
  };
  /** @param {KeyboardEvent} event */
  const keys = (event) => {
    if (event.target === note || event.ctrlKey || event.metaKey || event.altKey) return;
    const work = { j: () => open(at + 1), k: () => open(at - 1), 1: () => judge("keep"), 2: () => judge("doubt"), n: () => note.focus() }[event.key];
    if (!work) return;
    event.preventDefault();
    work();
  };
  const root = el("div", { onkeydown: keys },
    el("p", {}, known.join(" ")), others(result),
    el("div", { class: "two review" }, el("div", {}, table.root),
      el("section", { "aria-label": "One suspect", tabindex: "0", class: "one" },
        el("div", { class: "tools" }, heading, el("span", { class: "end" }, button("Back (K)", () => open(at - 1)), " ", button("On (J)", () => open(at + 1)))),
        el("div", { class: "tools" }, keepIt, doubt, note), panel.root,
        el("div", { class: "tools" }, tally, el("span", { class: "end" }, button("Save the judgements", save))))));
  open(0);
  return root;
}

/** Rows that contradict each other or repeat. @param {any} result */
function others(result) {
  const many = (/** @type {any} */ value) => (Array.isArray(value) ? value.length : typeof value === "number" ? value : 0);
  const parts = [];
  if (many(result.conflicts)) parts.push(`${counted(many(result.conflicts), "place")} where equal rows have different classes`);
  if (many(result.duplicates)) parts.push(`${counted(many(result.duplicates), "group")} of copies`);
  if (many(result.near_duplicates)) parts.push(`${counted(many(result.near_duplicates), "pair")} of near copies`);
  if (parts.length === 0) return null;
  return el("p", { class: "soft" }, `Beside that: ${parts.join(", ")}.`);
}
