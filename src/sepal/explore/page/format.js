// @ts-check
// Numbers and names as people read them.

/**
 * A number in few digits: 0.9561, 12.3, 1 234, 3.1e-7; a dash for what is not known.
 * @param {number | null | undefined} value
 * @param {number} [digits] after the point, for shares and the like
 */
export function number(value, digits) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  let text;
  if (digits !== undefined && size < 1e6 && (size === 0 || size >= 0.5 * 10 ** -digits)) text = value.toFixed(digits);
  else if (Number.isInteger(value) && size < 1e15) text = String(value);
  else if (size !== 0 && (size < 1e-4 || size >= 1e7)) text = value.toExponential(2);
  else text = String(Number(value.toPrecision(4)));
  return text.replace("-", "−");
}

/**
 * A whole number with thin spaces between thousands.
 * @param {number} value
 */
export function count(value) {
  return String(value).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/**
 * "1 row", "12 rows".
 * @param {number} many
 * @param {string} one
 * @param {string} [more]
 */
export function counted(many, one, more = `${one}s`) {
  return `${count(many)} ${many === 1 ? one : more}`;
}

/**
 * A share in percent.
 * @param {number | null | undefined} share
 */
export function percent(share) {
  return share === null || share === undefined || Number.isNaN(share) ? "–" : `${(100 * share).toFixed(1)} %`;
}

/**
 * A class as it is called: bare numbers and truth values get the name of their column before them.
 * @param {unknown} name
 * @param {string | null | undefined} column
 */
export function className(name, column) {
  const text = String(name);
  const bare = text.trim() === "" || Number.isFinite(Number(text)) || /^(true|false|yes|no|y|n|t|f)$/i.test(text);
  return bare && column ? `${column} ${text === "" ? "(empty)" : text}` : text;
}

/**
 * Seconds as a person says them.
 * @param {number} seconds
 */
export function duration(seconds) {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/**
 * A long name, cut in the middle so that both ends stay.
 * @param {string} name
 * @param {number} most
 */
export function shortened(name, most) {
  if (name.length <= most) return name;
  const head = Math.ceil((most - 1) * 0.6);
  return `${name.slice(0, head)}…${name.slice(name.length - (most - 1 - head))}`;
}
