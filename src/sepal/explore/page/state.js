// @ts-check
// What the page knows: the view (which table, read how), what was done with it, and what the server offers.
import { addressOf, readAddress } from "./address.js";
import { className } from "./format.js";
import { ask, call, flat, rowsOf, startFacts } from "./server.js";

/** @typedef {import("./server.js").View} View */
/** @typedef {{name: string, kind: string, help: string, choices: any[], at_least: number | null, above: number | null, at_most: number | null, below: number | null, optional: boolean, default: any, wanted: string, role: string | null}} Parameter */
/** @typedef {{help: string, task: string, parameters: Parameter[]}} Learner */
/**
 * @typedef {object} Summary
 * @property {string} name
 * @property {number} n_rows
 * @property {number} n_columns
 * @property {number} n_missing
 * @property {string} target
 * @property {{label: any, count: number}[] | null} classes
 * @property {any[]} columns
 * @property {any[]} apart
 * @property {string[]} left_out
 * @property {{code: string, text: string, columns: string[]}[]} cautions
 * @property {string[]} notes
 */

/** @type {any} what GET /api/start said */
export let offered = null;
/** @type {{actions: Record<string, {parameters: Parameter[]}>, learners: Record<string, Learner>} | null} */
export let parameterTable = null;

/** Ask the server once what there is. */
export async function begin() {
  offered = await startFacts();
}

/** @type {Promise<void> | null} */
let parametersCame = null;

/** The tables of parameters, for screens with forms; the first screens do not wait for them. */
export function parametersHere() {
  parametersCame ??= call("GET", "/api/parameters").then((told) => {
    parameterTable = told;
  });
  parametersCame.catch(() => (parametersCame = null)); // asked for again next time
  return parametersCame;
}

/** After an upload: the list of files again. */
export async function refreshOffered() {
  offered = await call("GET", "/api/start");
}

const VIEW_KEYS = ["data", "target", "task", "kinds", "out", "cols", "scale", "distance", "sample", "groups", "read"];

/** How a file is read where nothing is said about it. */
const AS_USUAL = { ids: /** @type {string[]} */ ([]), na: /** @type {string[]} */ ([]), encoding: /** @type {string | null} */ (null), missing_target: "error", missing: "distance" };

/** @param {string | undefined} text @param {any} otherwise */
function parsed(text, otherwise) {
  try {
    return text ? JSON.parse(text) : otherwise;
  } catch {
    return otherwise;
  }
}

/**
 * The view that the address holds, null without a table, and what the screen itself keeps there.
 * @returns {{screen: string, view: View | null, query: Record<string, string>}}
 */
export function here() {
  const { screen, query } = readAddress();
  const own = Object.fromEntries(Object.entries(query).filter(([key]) => !VIEW_KEYS.includes(key)));
  if (!query.data) return { screen, view: null, query: own };
  return {
    screen, query: own,
    view: {
      data: query.data, target: query.target ?? null, task: query.task ?? null, kinds: parsed(query.kinds, {}), left_out: parsed(query.out, []),
      columns: parsed(query.cols, null), scale: query.scale ?? "minmax", distance: query.distance ?? "auto",
      sample: Number(query.sample) || null, groups: query.groups ?? null, ...AS_USUAL, ...parsed(query.read, {}),
    },
  };
}

/** What is said about the file, null where it is read as usual. @param {View} view */
function saidOf({ ids, na, encoding, missing_target, missing }) {
  const said = { ids, na, encoding, missing_target, missing };
  return JSON.stringify(said) === JSON.stringify(AS_USUAL) ? null : JSON.stringify(said);
}

/** @param {View | null} view @returns {Record<string, string | null>} */
function viewQuery(view) {
  if (!view) return {};
  return {
    data: view.data, target: view.target, task: view.task, kinds: Object.keys(view.kinds).length ? JSON.stringify(view.kinds) : null,
    out: view.left_out.length ? JSON.stringify(view.left_out) : null, cols: view.columns ? JSON.stringify(view.columns) : null,
    scale: view.scale === "minmax" ? null : view.scale, distance: view.distance === "auto" ? null : view.distance,
    sample: view.sample === null ? null : String(view.sample), groups: view.groups, read: saidOf(view),
  };
}

/** @param {string} screen @param {View | null} view @param {Record<string, any>} [query] */
export const linkTo = (screen, view, query = {}) => addressOf(screen, { ...viewQuery(view), ...query });

/** Go to a screen with a view. @param {string} screen @param {View | null} view @param {Record<string, any>} [query] */
export function goTo(screen, view, query = {}) {
  location.hash = linkTo(screen, view, query);
}

/** Change the view on the screen where we are; what the screen keeps in the address stays. @param {Partial<View>} change */
export function changeView(change) {
  const { screen, view, query } = here();
  if (view) goTo(screen, { ...view, ...change }, query);
}

/** Keep the screen's own part of the address without a step in the history. @param {Record<string, any>} query */
export function keepQuery(query) {
  const { screen, view } = here();
  const next = linkTo(screen, view, query);
  clearTimeout(keeping);
  // Not at every step of a drag: browsers allow few changes of the address in a second.
  keeping = setTimeout(() => {
    if (here().screen !== screen || next === location.hash) return;
    history.replaceState(null, "", next);
    sessionStorage.setItem("sepal-address", next);
  }, 150);
}
let keeping = 0;
addEventListener("hashchange", () => clearTimeout(keeping));

/**
 * Tables whose rows could be answered by a learner of this one: every file, and bundled sets of the same form.
 * @param {string} data
 * @returns {any[]}
 */
export function otherRows(data) {
  const own = offered.bundled.find((/** @type {any} */ each) => each.data === data);
  const alike = own ? offered.bundled.filter((/** @type {any} */ each) => each.columns === own.columns && each.classes === own.classes && each.target === own.target) : [];
  return [...offered.files, ...alike].filter((/** @type {any} */ each) => each.data !== data);
}

/** A view of nothing but the table. @param {string} data @param {string | null} [target] @returns {View} */
export const plainView = (data, target = null) => ({ data, target, task: null, kinds: {}, left_out: [], columns: null, scale: "minmax", distance: "auto", sample: null, groups: null, ...AS_USUAL });

/** What was said of a file when it was given; undefined for a bundled set. @param {string} data */
export const fileOf = (data) => offered.files.find((/** @type {any} */ each) => each.data === data);

/** What is said of an upload that got another name. @param {any} file @returns {string | null} */
export const renamed = (file) => (file?.given_as ? `Another ${file.given_as} was opened before, so this one is called ${file.name}, in code and sessions too: save it under that name where these are to run.` : null);

/** How many rows a table has in its source; null where that is not known. @param {View} view @returns {number | null} */
export const allRows = (view) => [...offered.files, ...offered.bundled].find((/** @type {any} */ each) => each.data === view.data)?.rows ?? null;

/** @type {{key: string, summary: Promise<Summary>} | null} */
let known = null;

/** The summary of a view, asked once. @param {View} view @returns {Promise<Summary>} */
export function summaryOf(view) {
  const key = JSON.stringify({ ...view, scale: "", distance: "" });
  if (known?.key !== key) {
    const summary = ask("data.summary", view, {}).then(({ result }) => ({
      ...result, left_out: view.left_out, apart: result.apart.map((/** @type {any[]} */ [name, why, distinct]) => ({ name, why, distinct })).filter((/** @type {any} */ each) => !view.left_out.includes(each.name)),
      columns: result.columns.map((/** @type {any} */ each) => ({ ...each, counts: rowsOf(each.counts), edges: each.edges && Array.from(flat(each.edges)) })),
      classes: result.classes?.map((/** @type {any} */ label, /** @type {number} */ i) => ({ label, count: result.class_counts[i] })) ?? null,
    }));
    known = { key, summary };
    summary.catch(() => (known = null));
  }
  return known.summary;
}

/** The rows of the smallest class. @param {Summary} summary */
export const fewest = (summary) => Math.min(summary.n_rows, ...(summary.classes ?? []).map((each) => each.count));

/** The classes as they are called on the page. @param {Summary} summary @param {any[]} [labels] */
export function classNames(summary, labels) {
  return (labels ?? summary.classes?.map((each) => each.label) ?? []).map((label) => className(label, summary.target));
}

// What was done, for the Code button, sessions and reloads. A later action of the same name replaces the earlier,
// but runs of Classify are all kept.
/** @typedef {{action: string, parameters: Record<string, any>}} Done */

/** @param {View} view */
const doneKey = (view) => `sepal-done ${JSON.stringify(view)}`;

/** @param {View} view @returns {Done[]} */
export const doneWith = (view) => parsed(sessionStorage.getItem(doneKey(view)) ?? undefined, []);

/** @param {View} view @param {string} action @param {Record<string, any>} parameters */
export function remember(view, action, parameters) {
  const same = JSON.stringify(parameters);
  const rest = doneWith(view).filter((each) => each.action !== action || (action === "classify.run" && JSON.stringify(each.parameters) !== same));
  sessionStorage.setItem(doneKey(view), JSON.stringify([...rest, { action, parameters }]));
}

/** All actions of a session, as if they had been asked here. @param {View} view @param {Done[]} actions */
export function takeOver(view, actions) {
  for (const each of actions) remember(view, each.action, each.parameters);
}

/** The default of every parameter of an action. @param {string} action @returns {Record<string, any>} */
export function defaultsOf(action) {
  const table = parameterTable?.actions[action]?.parameters ?? [];
  return Object.fromEntries(table.map((each) => [each.name, each.default]));
}

/** @param {string} action @param {string[]} [names] only these, in this order @returns {Parameter[]} */
export function parametersOf(action, names) {
  const table = parameterTable?.actions[action]?.parameters ?? [];
  return names ? names.flatMap((name) => table.filter((each) => each.name === name)) : table;
}
