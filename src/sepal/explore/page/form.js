// @ts-check
// Fields made from the table of parameters that the command line and the estimators share.
import { choice, el, fill } from "./element.js";

/** @typedef {import("./state.js").Parameter} Parameter */

/** @param {unknown} value */
const asText = (value) => (value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value));

/**
 * What a field's text means; undefined where it is not allowed.
 * @param {Parameter} parameter
 * @param {string} text
 * @returns {any}
 */
export function valueOf(parameter, text) {
  const trimmed = text.trim();
  if (trimmed === "") return parameter.optional ? null : undefined;
  const word = parameter.choices?.find((each) => asText(each) === trimmed);
  if (word !== undefined) return word;
  if (parameter.kind === "whole" || parameter.kind === "number") {
    const value = Number(trimmed);
    if (!Number.isFinite(value) || (parameter.kind === "whole" && !Number.isInteger(value))) return undefined;
    const { at_least: least, above, at_most: most, below } = parameter;
    if ((least !== null && value < least) || (above !== null && value <= above) || (most !== null && value > most) || (below !== null && value >= below)) return undefined;
    return value;
  }
  if (parameter.kind === "other") {
    try {
      return JSON.parse(trimmed);
    } catch {
      return undefined;
    }
  }
  return parameter.choices?.length ? undefined : trimmed;
}

/**
 * @param {Parameter[]} parameters
 * @param {Record<string, any>} values what is known; defaults for the rest
 * @param {(values: Record<string, any>) => void} onchange called with all values when every field is right
 */
export function makeForm(parameters, values, onchange) {
  /** @type {Record<string, any>} */
  const now = {};
  /** @type {Set<string>} */
  const wrong = new Set();
  const root = el("div", { class: "form" });
  for (const parameter of parameters) {
    const { name } = parameter;
    now[name] = name in values ? values[name] : parameter.default;
    const trouble = el("span", { class: "wrong", role: "alert", hidden: true });
    const input = makeInput(parameter, now[name], (text) => {
      const value = typeof text === "boolean" ? text : valueOf(parameter, text);
      const bad = value === undefined;
      input.setAttribute("aria-invalid", String(bad));
      trouble.hidden = !bad;
      trouble.textContent = bad ? `Wanted: ${parameter.wanted}.` : "";
      if (bad) wrong.add(name);
      else {
        wrong.delete(name);
        now[name] = value;
        frame.classList.toggle("changed", asText(value) !== asText(parameter.default));
      }
      if (wrong.size === 0) onchange({ ...now });
    });
    const flag = parameter.kind === "flag";
    const frame = el("label", { class: "field", title: parameter.help || null },
      el("span", { class: "name" }, name.replaceAll("_", " ")), flag ? el("span", {}, input, parameter.help) : input,
      parameter.help && !flag ? el("span", { class: "help" }, parameter.help) : null, trouble);
    frame.classList.toggle("changed", asText(now[name]) !== asText(parameter.default));
    root.append(frame);
  }
  return { root, values: () => ({ ...now }), valid: () => wrong.size === 0, clear: () => fill(root) };
}

/**
 * @param {Parameter} parameter
 * @param {any} value
 * @param {(text: string | boolean) => void} changed
 * @returns {HTMLInputElement | HTMLSelectElement}
 */
function makeInput(parameter, value, changed) {
  const words = (parameter.choices ?? []).map(asText);
  if (parameter.kind === "flag") {
    const made = el("input", { type: "checkbox", checked: value === true, onchange: () => changed(made.checked) });
    return made;
  }
  if (words.length && parameter.kind !== "whole" && parameter.kind !== "number" && parameter.kind !== "other") {
    /** @type {[string, string][]} */
    const choices = words.map((word) => [word, word]);
    if (parameter.optional && !words.includes("")) choices.unshift(["", "none"]);
    return choice(choices, asText(value), changed);
  }
  const hint = words.length ? `${words.join(", ")} or a number` : parameter.optional ? "none" : null;
  const made = el("input", {
    type: "text", inputmode: parameter.kind === "whole" ? "numeric" : parameter.kind === "number" ? "decimal" : null, value: asText(value), placeholder: hint,
    spellcheck: "false", autocomplete: "off", oninput: () => changed(made.value),
  });
  return made;
}
