// @ts-check
// How the table is read: which rows belong together, and of a file its marks of missing cells, encoding and identifiers.
import { button, choice, el, field } from "../element.js";
import { changeView, fileOf } from "../state.js";

/** @typedef {import("../main.js").Place} Place */
/** @typedef {import("../server.js").View} View */

/** Names or marks between commas. @param {string} text */
const listed = (text) => text.split(",").map((each) => each.trim()).filter(Boolean);

/** @param {Place} place */
export function readingPart({ view, summary }) {
  const names = [...summary.columns.map((each) => each.name), ...summary.left_out, ...summary.apart.map((each) => each.name)];
  const columns = [...new Set(view.groups ? [...names, view.groups] : names)].sort((a, b) => a.localeCompare(b));
  const groups = field("rows that belong together", choice([["", "each row alone"], ...columns.map((name) => /** @type {[string, string]} */ ([name, name]))], view.groups ?? "",
    (name) => changeView({ groups: name || null }), { id: "group-column" }), "equal entries of this column are left out together and are no neighbours: the patient, the batch");
  const gaps = field("rows with missing cells", choice([["distance", "are used"], ["drop", "are left out"]], view.missing, (how) => changeView({ missing: how }), { id: "missing-cells" }), "used: the distance says what a missing cell counts");
  if (!fileOf(view.data)) return el("details", { open: view.groups !== null || view.missing !== "distance" }, el("summary", {}, "How it is read"), el("div", { class: "form" }, groups, gaps));
  const changed = el("p", { class: "unapplied", hidden: true }, "Changed: the table is still as it was read before. Press Read again.");
  const { fields, said } = fileForm(view, summary.target, () => (changed.hidden = false));
  const open = view.groups !== null || view.na.length + view.ids.length > 0 || view.encoding !== null || view.missing_target !== "error" || view.missing !== "distance";
  return el("details", { open }, el("summary", {}, "How it is read"),
    el("div", { class: "form" }, groups, gaps, fields),
    changed, el("div", { class: "tools" }, button("Read again", () => changeView(said()))));
}

/**
 * What can be said about a file alone.
 * @param {View} view @param {string} target @param {() => void} change
 * @returns {{fields: HTMLElement[], said: () => Partial<View>}}
 */
function fileForm(view, target, change) {
  const input = (/** @type {string} */ id, /** @type {string} */ value, /** @type {string} */ hint) => el("input", { id, type: "text", value, placeholder: hint, spellcheck: "false", autocomplete: "off", oninput: change });
  const na = input("read-na", view.na.join(", "), "none");
  const encoding = input("read-encoding", view.encoding ?? "", "found by itself");
  const ids = input("read-ids", view.ids.join(", "), "none");
  const without = choice([["error", "are an error"], ["drop", "are left out"]], view.missing_target, change, { id: "read-missing" });
  return {
    fields: [
      field("further marks of missing cells", na, "between commas: unknown, -999"),
      field("columns that only name the row", ids, "between commas; kept beside the table, never used"),
      field("encoding", encoding, "as utf-8, iso8859-1, cp1251"),
      field(`rows without ${target}`, without),
    ],
    said: () => ({ na: listed(na.value), encoding: encoding.value.trim() || null, ids: listed(ids.value), missing_target: without.value }),
  };
}

/** The same for a file that could not be read as it was said, and its target; null for what is no file. @param {View | null} view */
export function otherwisePart(view) {
  const file = view && fileOf(view.data);
  if (!view || !file) return null;
  const { fields, said } = fileForm(view, "a class", () => undefined);
  /** @type {[string, string][]} */
  const names = (file.names ?? []).map((/** @type {string} */ name) => [name, name]);
  const target = choice([["", "as the file has it"], ...names], view.target ?? "", () => undefined, { id: "read-target" });
  const again = () => changeView({ ...said(), ...(names.length ? { target: target.value || null } : {}) });
  return el("section", { "aria-label": "How it is read" }, el("h2", {}, "How it is read"),
    el("div", { class: "form" }, names.length ? field("class", target) : null, fields),
    el("div", { class: "tools" }, button("Read it so", again, { class: "main" })));
}
