// @ts-check
// Runs before the first paint, so that a chosen theme does not flash in the other one.
{
  const kept = sessionStorage.getItem("sepal-theme");
  if (kept === "light" || kept === "dark") document.documentElement.dataset.theme = kept;
}
