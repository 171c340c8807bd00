// @ts-check
// What stands around every screen: the header with the table, the rail, the theme, and the word when the server is gone.
import { openCode } from "./code.js";
import { redrawAll } from "./draw/plot.js";
import { button, choice, el, fill } from "./element.js";
import { count, counted } from "./format.js";
import { otherwisePart } from "./screens/reading.js";
import { Refusal } from "./server.js";
import { allRows, changeView, fileOf, goTo, linkTo, offered, plainView } from "./state.js";

/** @typedef {import("./state.js").Summary} Summary */
/** @typedef {import("./server.js").View} View */

const SCREENS = [
  ["data", "Data"], ["separability", "Separability"], ["features", "Features"], ["neighbors", "Neighbours"],
  ["rows", "Rows"], ["kernels", "Kernels"], ["classify", "Classify"], ["predict", "Predict"],
];

/** Whether the server answers anything for a screen. @param {string} screen */
export const answers = (screen) => offered.screens.includes(screen);

/** @param {string} screen @param {View | null} view */
export function drawRail(screen, view) {
  const rail = /** @type {HTMLElement} */ (document.getElementById("rail"));
  rail.hidden = view === null;
  fill(rail, el("ul", {}, SCREENS.filter(([name]) => answers(name)).map(([name, title]) => el("li", {}, el("a", { href: linkTo(name, view), "aria-current": name === screen ? "page" : null }, title)))));
  document.title = `${SCREENS.find(([name]) => name === screen)?.[1] ?? "Start"} · Sepal Explorer`;
}

/** The chosen theme: "", "light" or "dark"; empty follows the system. */
const themeNow = () => document.documentElement.dataset.theme ?? "";

/** @param {string} theme */
function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  sessionStorage.setItem("sepal-theme", theme);
  redrawAll();
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);

/**
 * @param {View | null} view
 * @param {Summary | null} summary
 */
export function drawHeader(view, summary) {
  const header = /** @type {HTMLElement} */ (document.getElementById("header"));
  const brand = el("a", { class: "brand", href: "#/", title: "Open another table" }, el("img", { src: "/page/icon.svg", alt: "" }), "Sepal");
  const theme = choice([["", "System"], ["light", "Light"], ["dark", "Dark"]], themeNow(), setTheme, { "aria-label": "Theme" });
  if (!view || !summary) {
    fill(header, brand, view ? el("span", { class: "set" }, fileOf(view.data)?.name ?? view.data) : null, el("span", { class: "end" }, theme));
    return;
  }
  const columns = [...summary.columns.map((each) => each.name), ...summary.left_out, ...summary.apart.map((each) => each.name)];
  const names = [...new Set([...columns, summary.target])].sort((a, b) => a.localeCompare(b));
  const target = choice(names.map((name) => [name, name]), summary.target, (name) => {
    changeView({ target: name, columns: null, task: null, left_out: view.left_out.filter((each) => each !== name), groups: view.groups === name ? null : view.groups });
  }, { id: "class-column" });
  const classes = summary.classes ? `${count(summary.classes.length)} ${summary.classes.length === 1 ? "class" : "classes"}` : "a number";
  fill(header, brand,
    el("span", { class: "set", title: summary.name }, summary.name),
    rowsChoice(view, summary),
    view.groups ? el("span", { class: "facts", title: "Rows with the same entry here are left out together and are no neighbours of each other." }, `groups: ${view.groups}`) : null,
    el("span", { class: "facts" }, counted(summary.n_columns, "column")),
    view.columns ? el("span", { class: "badge" }, `only ${counted(view.columns.length, "column")} `, button("use all", () => changeView({ columns: null }), { class: "plain" })) : null,
    el("span", { class: "pick" }, el("label", { for: "class-column" }, summary.classes ? "Class" : "Target"), target, el("span", { class: "facts" }, classes)),
    el("span", { class: "end" }, theme, button("Code", () => openCode(summary.name), { "aria-haspopup": "dialog" })));
}

/** Tables from which a sample may be wanted. */
const LARGE = 2000;
const SAMPLES = [1000, 2000, 5000, 20000];

/** How many rows are in use; of a large table a sample can be drawn, and is named as long as it is used. @param {View} view @param {Summary} summary */
function rowsChoice(view, summary) {
  const all = allRows(view) ?? summary.n_rows;
  if (all <= LARGE && view.sample === null) return el("span", { class: "facts" }, counted(summary.n_rows, "row"));
  const sizes = [...new Set([...SAMPLES, ...(view.sample === null ? [] : [view.sample])])].filter((size) => size < all || size === view.sample).sort((a, b) => a - b);
  /** @type {[string, string][]} */
  const choices = [["", `all ${counted(all, "row")}`], ...sizes.map((size) => /** @type {[string, string]} */ ([String(size), `a sample of ${count(size)} of ${counted(all, "row")}`]))];
  return el("span", { class: view.sample === null ? "pick" : "pick sampled" }, choice(choices, view.sample === null ? "" : String(view.sample), (size) => changeView({ sample: size ? Number(size) : null }), { id: "rows-used", "aria-label": "Rows in use" }));
}

/**
 * Dim the page and say what it still shows.
 * @param {boolean} gone
 */
export function tellGone(gone) {
  document.body.classList.toggle("gone", gone);
  document.querySelector(".gone-note")?.remove();
  if (!gone) return;
  const screen = document.getElementById("screen");
  const showing = screen?.dataset.showing ? ` The screen still shows ${screen.dataset.showing}; nothing on it changes until the server is back.` : " What you see is what it last said.";
  document.body.append(el("div", { class: "gone-note", role: "alert" }, el("p", {}, el("b", {}, "The server is gone."), showing,
    " Start it again with sepal explore, and open the link it prints.")));
}

/** The page for those without a way in. @param {Element} root */
export function tellLocked(root) {
  fill(root, el("h1", {}, "This page needs its link"),
    el("p", {}, "Open the link that the terminal shows. It works once; press Enter in the terminal, and it prints a new one."));
}

/** @param {Element} root @param {unknown} error @param {View | null} view */
export function tellError(root, error, view) {
  const text = error instanceof Error ? error.message : String(error);
  fill(root, el("h1", {}, "This could not be shown"), el("div", { class: "note bad", role: "alert" }, el("p", {}, text)),
    el("div", { class: "tools" }, button("Try again", () => dispatchEvent(new HashChangeEvent("hashchange"))),
      view ? button("Read the table anew", () => goTo("data", plainView(view.data))) : null,
      el("a", { class: "button", href: "#/" }, "Open another table")),
    error instanceof Refusal && error.code === "wrong" ? otherwisePart(view) : null);
}
