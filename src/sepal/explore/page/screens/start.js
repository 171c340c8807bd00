// @ts-check
// Without a table: the bundled sets, a place to drop a file, the files of this run.
import { button, el, fill } from "../element.js";
import { counted } from "../format.js";
import { call, upload } from "../server.js";
import { goTo, offered, plainView, refreshOffered, takeOver } from "../state.js";
import { say } from "../toast.js";

/** @param {Element} root */
export function showStart(root) {
  const picker = el("input", { type: "file", class: "unseen", tabindex: "-1", "aria-hidden": "true", onchange: () => picker.files?.[0] && take(picker.files[0]) });
  const said = el("p", { class: "soft small", role: "status" });
  const most = Math.round(offered.limits.upload_bytes / 1048576);
  const drop = el("div", { class: "drop" },
    el("p", {}, button("Choose a file", () => picker.click(), { class: "main" }), " or drop it here"),
    el("p", { class: "soft small" }, `CSV, ARFF, JSON lines, Parquet, Feather or Excel, up to ${most} MB. It stays on this machine.`), said, picker);
  /** @param {File} file */
  const take = async (file) => {
    said.textContent = `Reading ${file.name} …`;
    try {
      if (file.name.endsWith(".json") && (await file.slice(0, 400).text()).includes('"sepal_session"')) {
        const told = await call("POST", "/api/session/open", JSON.parse(await file.text()));
        const opened = { ...plainView(told.view.data), ...told.view };
        takeOver(opened, told.actions);
        goTo("data", opened);
        return;
      }
      const told = await upload(file);
      await refreshOffered();
      goTo("data", plainView(told.data));
    } catch (error) {
      said.textContent = "";
      say(error instanceof Error ? error.message : String(error), { bad: true });
    }
  };
  drop.addEventListener("dragover", (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    const file = event.dataTransfer?.files[0];
    if (file) take(file);
  });
  fill(root,
    el("h1", {}, "Open a table"),
    el("p", { class: "lead" }, "Rows of examples, one column with their class: how separable are the classes, and what separates them?"),
    offered.read_only ? el("div", { class: "note" }, el("p", {}, "This server is read-only: the sets below can be explored, files cannot be opened or saved.")) : drop,
    offered.files.length ? el("section", {}, el("h2", {}, "Files of this run"), listOf(offered.files)) : null,
    el("section", {}, el("h2", {}, "Sets that come with Sepal"), listOf(offered.bundled)));
}

/** @param {any} each */
const shapeOf = (each) => (each.rows === null ? "to be read otherwise: open it" : `${counted(each.rows, "row")}, ${counted(each.columns, "column")}${each.classes ? `, ${counted(each.classes, "class", "classes")}` : ""}`);

/** @param {any[]} sets */
function listOf(sets) {
  return el("ul", { class: "sets" }, sets.map((each) => el("li", {},
    button(each.name ?? each.data, () => goTo("data", plainView(each.data)), { class: "plain" }),
    el("span", { class: "small" }, each.title ?? "", el("span", { class: "soft" },
      `${each.title ? " · " : ""}${shapeOf(each)}`)))));
}
