// @ts-check
// What was done here, as a shell line and as Python that give the same numbers; and the session as a file.
import { button, el, fill } from "./element.js";
import { call } from "./server.js";
import { doneWith, here } from "./state.js";
import { downloadText, fileName } from "./save.js";
import { say } from "./toast.js";

/** @param {string} text */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    say("Copied.");
  } catch {
    say("The browser does not let the page copy: select the text instead.", { bad: true });
  }
}

/** @param {string} title @param {string} text */
function listing(title, text) {
  return el("section", {}, el("div", { class: "tools" }, el("h3", {}, title), button("Copy", () => copy(text), { "aria-label": `Copy ${title}` })), el("pre", { tabindex: "0" }, text));
}

/** Open the dialog for the screen where we are. @param {string} name of the table */
export async function openCode(name) {
  const { screen, view } = here();
  if (!view) return;
  const all = doneWith(view);
  const place = el("div", {}, el("p", { class: "waiting" }, "Writing …"));
  const box = el("dialog", { "aria-labelledby": "code-title", onclose: () => box.remove() });
  let whole = !all.some((each) => each.action.startsWith(`${screen}.`));
  const tell = async () => {
    const actions = all.filter((each) => whole || each.action.startsWith(`${screen}.`));
    if (actions.length === 0) {
      fill(place, el("p", { class: "empty" }, "Nothing has been worked out yet. What you do on a screen is written down here."));
      return;
    }
    try {
      const code = await call("POST", "/api/code", { view, actions });
      fill(place, listing("Shell", code.shell), listing("Python", code.python));
    } catch (error) {
      fill(place, el("div", { class: "note bad" }, el("p", {}, error instanceof Error ? error.message : String(error))));
    }
  };
  /** @param {string} path @param {string} ending @param {string} type */
  const save = async (path, ending, type) => {
    try {
      const told = await call("POST", path, { view, actions: all });
      downloadText(`${fileName(name)}.${ending}`, typeof told === "string" ? told : `${JSON.stringify(told, null, 2)}\n`, type);
    } catch (error) {
      say(error instanceof Error ? error.message : String(error), { bad: true });
    }
  };
  const range = el("label", {}, el("input", { type: "checkbox", checked: whole, onchange: (/** @type {Event} */ e) => {
    whole = /** @type {HTMLInputElement} */ (e.target).checked;
    tell();
  } }), "all screens");
  fill(box,
    el("div", { class: "tools" }, el("h2", { id: "code-title" }, "The same numbers without the page"), el("span", { class: "end" }, range)),
    place,
    el("div", { class: "tools" },
      button("Save the session", () => save("/api/session", "session.json", "application/json"), { title: "Run it again with: sepal run FILE" }),
      button("Save the report", () => save("/api/page", "html", "text/html")),
      el("span", { class: "end" }, button("Close", () => box.close(), { class: "main" }))));
  document.body.append(box);
  box.showModal();
  await tell();
}
