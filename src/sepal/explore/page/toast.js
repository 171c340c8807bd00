// @ts-check
// Short messages at the edge of the page, read out by screen readers.
import { button, el } from "./element.js";

/**
 * Say something; errors stay until they are closed.
 * @param {string} text
 * @param {{bad?: boolean}} [given]
 */
export function say(text, { bad = false } = {}) {
  const place = /** @type {HTMLElement} */ (document.getElementById("toasts"));
  for (const old of place.querySelectorAll(".toast")) if (old.querySelector("p")?.textContent === text) old.remove();
  const made = el("div", { class: bad ? "toast bad" : "toast" }, el("p", {}, text), button("Close", () => made.remove(), { class: "plain" }));
  place.append(made);
  if (!bad) setTimeout(() => made.remove(), 6000);
}
