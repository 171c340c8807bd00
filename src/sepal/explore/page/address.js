// @ts-check
// The address of a screen: #/neighbors?data=iris&k=5. Back, reload and a copied link lead to the same view.

/** @returns {{screen: string, query: Record<string, string>}} */
export function readAddress() {
  const text = location.hash.startsWith("#/") ? location.hash.slice(2) : "";
  const cut = text.indexOf("?");
  const screen = cut < 0 ? text : text.slice(0, cut);
  return { screen, query: Object.fromEntries(new URLSearchParams(cut < 0 ? "" : text.slice(cut + 1))) };
}

/**
 * @param {string} screen
 * @param {Record<string, string | number | boolean | null | undefined>} query
 */
export function addressOf(screen, query) {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== null && value !== undefined && value !== "") search.set(key, String(value));
  const text = search.toString();
  return `#/${screen}${text ? `?${text}` : ""}`;
}
