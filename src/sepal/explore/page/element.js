// @ts-check
// Elements from plain values: text is always text, never markup.

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * An element with attributes, listeners (keys that begin with "on") and children.
 * `class`, `text` and `data-...` are attributes like any other; false, null and undefined leave one out.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, any>} [given]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function el(tag, given = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(given)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "value" || key === "checked" || key === "disabled" || key === "selected") Object.assign(made, { [key]: value });
    else made.setAttribute(key, value === true ? "" : String(value));
  }
  put(made, ...children);
  return made;
}

/**
 * Append children; text becomes text nodes.
 * @param {Element} parent
 * @param {...(Child | Child[])} children
 */
export function put(parent, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child instanceof Node ? child : String(child));
  }
}

/**
 * Replace everything inside.
 * @param {Element} parent
 * @param {...(Child | Child[])} children
 */
export function fill(parent, ...children) {
  parent.replaceChildren();
  put(parent, ...children);
}

/**
 * A button.
 * @param {string} text
 * @param {(event: MouseEvent) => void} onclick
 * @param {Record<string, any>} [given]
 */
export function button(text, onclick, given = {}) {
  return el("button", { type: "button", onclick, ...given }, breakable(text));
}

/**
 * A drop-down list. Choices are [value, text] pairs.
 * @param {[string, string][]} choices
 * @param {string} chosen
 * @param {(value: string) => void} onchange
 * @param {Record<string, any>} [given]
 */
export function choice(choices, chosen, onchange, given = {}) {
  const made = el("select", { ...given, onchange: () => onchange(made.value) });
  for (const [value, text] of choices) put(made, el("option", { value }, text));
  made.value = chosen;
  return made;
}

/**
 * A field with its name above it.
 * @param {string} name
 * @param {Child} inner
 * @param {string} [help]
 */
export function field(name, inner, help) {
  return el("label", { class: "field" }, el("span", { class: "name" }, name), inner, help ? el("span", { class: "help" }, help) : null);
}

/**
 * A name that may be broken after its underscores, dots and hyphens.
 * @param {string} name
 * @returns {Child[]}
 */
export function breakable(name) {
  return name.split(/(?<=[_.-])/).flatMap((part, i) => (i ? [el("wbr"), part] : [part]));
}

/**
 * Call at most once a frame, with the newest arguments.
 * @template {any[]} A
 * @param {(...given: A) => void} work
 * @returns {(...given: A) => void}
 */
export function eachFrame(work) {
  /** @type {A | null} */
  let waiting = null;
  return (...given) => {
    const first = waiting === null;
    waiting = given;
    if (first)
      requestAnimationFrame(() => {
        const now = /** @type {A} */ (waiting);
        waiting = null;
        work(...now);
      });
  };
}
