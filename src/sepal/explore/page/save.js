// @ts-check
// Files that the user asked for, made in the page: nothing is sent anywhere.

/**
 * Hand a file to the browser's download.
 * @param {string} name
 * @param {Blob} blob
 */
export function download(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/**
 * Text as a file.
 * @param {string} name
 * @param {string} text
 * @param {string} type
 */
export function downloadText(name, text, type) {
  download(name, new Blob([text], { type: `${type};charset=utf-8` }));
}

/** @param {unknown} cell */
function csvCell(cell) {
  if (cell === null || cell === undefined || (typeof cell === "number" && Number.isNaN(cell))) return "";
  const text = String(cell);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Comma-separated values as RFC 4180 has them.
 * @param {string[]} heads
 * @param {Iterable<unknown[]>} rows
 */
export function csv(heads, rows) {
  const lines = [heads.map(csvCell).join(",")];
  for (const row of rows) lines.push(row.map(csvCell).join(","));
  return lines.join("\r\n") + "\r\n";
}

/**
 * A name that every file system takes.
 * @param {string} text
 */
export function fileName(text) {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "").slice(0, 60) || "sepal";
}
