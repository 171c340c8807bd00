// @ts-check
// The page: log in, read the address, show the screen; and again whenever the address changes.
import { el, fill } from "./element.js";
import { login, onGone, Refusal } from "./server.js";
import { answers, drawHeader, drawRail, tellError, tellGone, tellLocked } from "./shell.js";
import { begin, goTo, here, keepQuery, offered, parametersHere, plainView, summaryOf, takeOver } from "./state.js";
import { showStart } from "./screens/start.js";

/** @typedef {import("./state.js").Summary} Summary */
/** @typedef {import("./server.js").View} View */
/**
 * What a screen is given.
 * @typedef {object} Place
 * @property {HTMLElement} root
 * @property {View} view
 * @property {Summary} summary
 * @property {Record<string, string>} query its own part of the address
 * @property {(query: Record<string, any>) => void} keep
 * @property {() => boolean} alive whether it is still the one that is shown
 * @property {(text: string) => void} showing what is shown, for the word when the server is gone
 */

/** @type {Record<string, () => Promise<{show: (place: Place) => void | Promise<void>}>>} */
const SCREENS = {
  data: () => import("./screens/data.js"),
  separability: () => import("./screens/separability.js"),
  features: () => import("./screens/features.js"),
  neighbors: () => import("./screens/neighbors.js"),
  rows: () => import("./screens/rows.js"),
  kernels: () => import("./screens/kernels.js"),
  classify: () => import("./screens/classify.js"),
  predict: () => import("./screens/predict.js"),
};

const root = /** @type {HTMLElement} */ (document.getElementById("screen"));
let shows = 0;
let lastScreen = "";

async function render() {
  if (location.hash.startsWith("#token=")) {
    location.reload();
    return;
  }
  const mine = ++shows;
  const { screen, view, query } = here();
  const known = screen in SCREENS && answers(screen);
  drawRail(known ? screen : "", view);
  if (!view || !known) {
    drawHeader(null, null);
    if (view) goTo("data", view);
    else showStart(root);
    return;
  }
  sessionStorage.setItem("sepal-address", location.hash);
  if (screen !== lastScreen) {
    fill(root, el("p", { class: "waiting" }, "Reading …"));
    drawHeader(view, null);
    document.getElementById("toasts")?.replaceChildren(); // they were about the screen before
    scrollTo(0, 0);
  }
  lastScreen = screen;
  root.dataset.showing = "";
  root.setAttribute("aria-busy", "true");
  const alive = () => mine === shows;
  try {
    const [module, summary] = await Promise.all([SCREENS[screen](), summaryOf(view), screen === "data" ? null : parametersHere()]);
    if (!alive()) return;
    drawHeader(view, summary);
    const place = el("div");
    await module.show({ root: place, view, summary, query, keep: keepQuery, alive, showing: (text) => (root.dataset.showing = text) });
    if (!alive()) return;
    const held = root.contains(document.activeElement) ? document.activeElement?.id : "";
    fill(root, place);
    if (held) document.getElementById(held)?.focus({ preventScroll: true });
  } catch (error) {
    if (alive()) tellError(root, error, view);
  } finally {
    if (alive()) root.removeAttribute("aria-busy");
    setTimeout(() => parametersHere().catch(() => undefined), 500); // the next screen may need them
  }
}

async function open() {
  onGone(tellGone);
  try {
    if (!(await login())) return tellLocked(root);
    await begin();
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) {
      sessionStorage.removeItem("sepal-bearer");
      return tellLocked(root);
    }
    return tellError(root, error, null);
  }
  addEventListener("hashchange", render);
  const { screen, view } = here();
  const first = offered.view;
  if (!view && !screen && first && !sessionStorage.getItem("sepal-opened")) {
    sessionStorage.setItem("sepal-opened", "yes");
    history.replaceState(null, "", location.pathname);
    const opened = { ...plainView(first.data), ...first };
    takeOver(opened, offered.actions);
    goTo("data", opened);
    return undefined;
  }
  return render();
}

open();
