// @ts-check
// What errors cost: a matrix to type in and the answers it leads to; ROC and cost curve of one class against the rest.
import { Curves } from "../draw/curves.js";
import { button, choice, el, field, fill } from "../element.js";
import { className, counted, number, percent } from "../format.js";
import { flat, soon } from "../server.js";
import { remember } from "../state.js";
import { say } from "../toast.js";
import { confusion, MANY } from "./classify_result.js";
import { figure } from "./separability.js";

/** @typedef {import("../main.js").Place} Place */
/** @typedef {import("../server.js").Answer} Answer */

/** The matrix of what errors cost, and the run decided by it. @param {Place} place @param {Answer} answer */
export function costsPart(place, answer) {
  const { result, parameters } = answer;
  const names = result.classes.map((/** @type {any} */ each) => className(each, place.summary.target));
  const body = el("div");
  const changed = el("p", { class: "unapplied", hidden: true }, "Changed: what is shown is of the earlier matrix. Press Apply.");
  const touched = () => (changed.hidden = body.childElementCount === 0);
  const typed = names.length > MANY ? costWords(names, touched) : costTable(names, touched);
  const work = async () => {
    const costs = typed.costs();
    if (costs === null) {
      say("Costs are numbers, 0 or above.", { bad: true });
      return;
    }
    try {
      const told = await soon("classify.costs", place.view, { ...parameters, costs });
      if (!place.alive()) return;
      remember(place.view, "classify.costs", told.parameters);
      changed.hidden = true;
      fill(body, weighed(place, told.result, names));
    } catch (error) {
      say(error instanceof Error ? error.message : String(error), { bad: true });
    }
  };
  return el("details", {}, el("summary", {}, "Costs: a matrix of what each error costs"),
    el("p", { class: "small soft" }, "Rows of a class down, answers across. Each row is then answered so that its expected cost is least."),
    typed.root, el("div", { class: "tools" }, button("Apply the matrix", work)), changed, body);
}

/** @param {Place} place @param {any} result @param {string[]} names */
function weighed(place, result, names) {
  const rows = el("div");
  const two = result.threshold === null || result.threshold === undefined ? null
    : el("p", {}, `With these costs answer ${names[1]} from a probability of ${number(result.threshold, 3)} on, else ${names[0]}.`);
  return [
    el("div", { class: "figures" },
      figure("a row costs", number(result.mean_cost, 4), `${number(result.cost_before, 4)} as answered before`),
      figure("right", percent(result.accuracy)),
      figure("balanced", percent(result.balanced_accuracy))),
    two, el("h3", {}, "Confusion at these costs"), confusion(place, result, rows), rows,
  ];
}

/** A field for every cell. @param {string[]} names @param {() => void} touched */
function costTable(names, touched) {
  /** @type {number[][]} */
  const values = names.map((_, a) => names.map((__, p) => (a === p ? 0 : 1)));
  const wrong = new Set();
  const cell = (/** @type {number} */ a, /** @type {number} */ p) => {
    const input = el("input", { type: "number", min: "0", step: "any", value: String(values[a][p]), "aria-label": `cost of ${names[a]} answered ${names[p]}`, oninput: () => {
      const value = input.value.trim() === "" ? NaN : Number(input.value);
      const bad = !(value >= 0 && Number.isFinite(value));
      input.setAttribute("aria-invalid", String(bad));
      if (bad) wrong.add(input);
      else {
        wrong.delete(input);
        values[a][p] = value;
      }
      touched();
    } });
    return el("td", { class: a === p ? "right" : null }, input);
  };
  const root = el("div", { class: "sideways", tabindex: "0", role: "group", "aria-label": "Cost matrix" }, el("table", { class: "matrix costs" },
    el("thead", {}, el("tr", {}, el("th", {}, "class \\ answered"), names.map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, names.map((name, a) => el("tr", {}, el("th", { scope: "row" }, name), names.map((_, p) => cell(a, p)))))));
  return { root, costs: () => (wrong.size ? null : values.map((row) => [...row])) };
}

/** Of very many classes only what differs from 1 is written down, one on a line. @param {string[]} names @param {() => void} touched */
function costWords(names, touched) {
  const text = el("textarea", { rows: "4", spellcheck: "false", placeholder: `${names[0]}=9\n${names[0]}:${names[1]}=2`, oninput: touched });
  const root = field("CLASS=COST or CLASS:ANSWER=COST, one on a line; all other errors cost 1", text);
  return { root, costs: () => text.value.split("\n").map((line) => line.trim()).filter(Boolean) };
}

/** ROC and cost curve of one class against all others, with the two costs and the threshold they lead to. @param {Place} place @param {Answer} answer */
export function rocPart(place, answer) {
  const { result, parameters } = answer;
  const target = place.summary.target;
  const now = { positive: result.classes[result.classes.length - 1], costs: [[0, 1], [1, 0]] };
  const roc = new Curves({ title: "ROC: found against false alarms", xTitle: "false alarms", yTitle: "found", yRange: [0, 1.02], ratio: 0.8, tallest: 320 });
  const cost = new Curves({ title: "Cost curve", xTitle: "weight of the class to find", yTitle: "cost of a row", ratio: 0.8, tallest: 320 });
  const said = el("p", { role: "status" });
  const changed = el("p", { class: "unapplied", hidden: true }, "Changed: what is shown is of the earlier costs. Press Apply.");
  const body = el("div", { hidden: true }, changed, said, el("div", { class: "half" }, roc.root, cost.root));
  const work = async () => {
    try {
      const told = await soon("classify.threshold", place.view, { ...parameters, ...now });
      if (!place.alive()) return;
      remember(place.view, "classify.threshold", told.parameters);
      body.hidden = false;
      changed.hidden = true;
      const t = told.result;
      roc.show([{ name: "ROC", x: flat(t.roc.false_positive_rate), y: flat(t.roc.true_positive_rate) }, { name: "guessing", x: [0, 1], y: [0, 1], dash: [4, 4], colour: 7 }]);
      const { weight, cost: least, trivial } = t.cost_curve;
      cost.show([{ name: "best threshold", x: flat(weight), y: flat(least) }, { name: "one answer for all", x: flat(weight), y: flat(trivial), dash: [4, 4], colour: 7 }]);
      said.textContent = `Area under the curve ${number(t.roc_area, 4)}. With these costs answer ${className(t.positive, target)} from a probability of ${number(t.best.threshold, 3)} on: a row then costs ${number(t.best.cost, 4)}, with ${counted(t.best.false_alarms, "false alarm")} and ${counted(t.best.misses, "miss", "misses")}.`;
    } catch (error) {
      say(error instanceof Error ? error.message : String(error), { bad: true });
    }
  };
  /** @param {number} a @param {number} p @param {string} label */
  const costField = (a, p, label) => {
    const input = el("input", { type: "number", min: "0", step: "any", value: String(now.costs[a][p]), oninput: () => {
      const value = Number(input.value);
      input.setAttribute("aria-invalid", String(!(value >= 0)));
      if (value >= 0) now.costs[a][p] = value;
      changed.hidden = body.hidden;
    } });
    return field(label, input);
  };
  const details = el("details", {}, el("summary", {}, "ROC, cost curve and the threshold of one class"),
    el("div", { class: "tools" },
      field("class to find", choice(result.classes.map((/** @type {any} */ each, /** @type {number} */ i) => [String(i), className(each, target)]), String(result.classes.length - 1), (i) => (now.positive = result.classes[Number(i)], work()))),
      costField(0, 1, "cost of a false alarm"), costField(1, 0, "cost of one missed"), button("Apply the costs", work)),
    body);
  details.addEventListener("toggle", () => details.open && body.hidden && work());
  return details;
}
