// @ts-check
// Costly work: a Start button, progress with elapsed and estimated time, Cancel, and a mark when what is shown was
// made with other settings than those now chosen. Nothing starts by itself; a reload finds its job and answer again.
import { button, el, fill } from "./element.js";
import { duration } from "./format.js";
import { cancelJob, ifKept, jobAnswer, jobNow, newJobName, Refusal, ServerSilent, startJob } from "./server.js";
import { defaultsOf, doneWith, remember } from "./state.js";
import { say } from "./toast.js";

/** @typedef {import("./server.js").Answer} Answer */
/** @typedef {import("./server.js").Job} Job */
/**
 * @typedef {object} RunnerGiven
 * @property {string} action
 * @property {import("./server.js").View} view
 * @property {() => Record<string, any>} parameters as the fields say now; what is left out has its default
 * @property {(answer: Answer) => void} show
 * @property {string} [label] of the Start button
 * @property {string} [about] what will be done, beside the button
 * @property {boolean} [many] answers stay, so that nothing is ever out of date
 */

/** @param {Record<string, any>} given @param {Record<string, any>} defaults */
const signature = (given, defaults) => JSON.stringify(Object.entries({ ...defaults, ...given }).sort(([a], [b]) => (a < b ? -1 : 1)));

/** @param {RunnerGiven} given */
export function makeRunner(given) {
  const { action, view } = given;
  const label = given.label ?? "Start";
  const start = button(label, () => run(given.parameters()), { class: "main" });
  const cancel = button("Cancel", () => stop(), { hidden: true });
  const bar = el("progress", { max: "1", value: "0", hidden: true, "aria-label": `progress of ${label}` });
  const said = el("span", { class: "said", role: "status" }, given.about ?? "");
  const changed = el("p", { class: "unapplied", hidden: true }, "Changed since the last run: what is shown below is of the earlier settings.");
  const trouble = el("div", { class: "note bad", hidden: true, role: "alert" });
  const root = el("div", { class: "runner" }, el("div", { class: "job" }, start, cancel, bar, said), changed, trouble);
  const jobKey = `sepal-job ${action} ${JSON.stringify(view)}`;
  const defaults = defaultsOf(action);
  /** @type {string | null} */
  let shown = null;
  /** @type {string | null} */
  let running = null;
  let unwanted = false; // Cancel was pressed before the server had named the job

  /** @param {boolean} busy */
  const setBusy = (busy) => {
    start.disabled = busy;
    cancel.hidden = bar.hidden = !busy;
    root.classList.toggle("busy", busy);
  };

  /** @param {Answer} answer */
  const show = (answer) => {
    shown = signature(answer.parameters, {});
    remember(view, action, answer.parameters);
    trouble.hidden = true;
    fill(said, [`Done in ${duration(answer.seconds)}.`, answer.note ? ` ${answer.note[0].toUpperCase()}${answer.note.slice(1)}.` : ""]);
    given.show(answer);
    check();
  };

  /** @param {unknown} error */
  const fail = (error) => {
    if (error instanceof ServerSilent) {
      said.textContent = "The server is gone; this run is lost.";
      return;
    }
    said.textContent = "";
    trouble.hidden = false;
    fill(trouble, el("p", {}, error instanceof Error ? error.message : String(error)));
  };

  /** Mark the answer as out of date where the fields say something else now. */
  const check = () => {
    changed.hidden = given.many || shown === null || shown === signature(given.parameters(), defaults);
  };

  /** @param {Job} job */
  const tell = (job) => {
    if (job.share > 0) bar.value = job.share;
    else bar.removeAttribute("value");
    const left = job.left === null || job.left === undefined ? "" : `, about ${duration(job.left)} left`;
    said.textContent = `${job.state === "waiting" ? "Waiting for the work before it" : job.text || "Working"} · ${duration(job.elapsed)}${left}`;
  };

  /** @param {Job} job */
  const follow = async (job) => {
    running = job.job;
    setBusy(true);
    try {
      if (unwanted) await cancelJob(job.job);
      let now = job;
      while (now.state === "waiting" || now.state === "running") {
        if (!root.isConnected && started) return;
        tell(now);
        now = await jobNow(now.job, 0.5);
      }
      if (now.state === "done") show(await jobAnswer(now.job));
      else if (now.state === "failed" && now.error) throw new Refusal(now.error, 400);
      else said.textContent = "Cancelled.";
      sessionStorage.removeItem(jobKey);
    } catch (error) {
      if (!(error instanceof ServerSilent)) sessionStorage.removeItem(jobKey);
      fail(error);
    } finally {
      running = null;
      setBusy(false);
    }
  };
  let started = false;

  /** @param {Record<string, any>} parameters */
  const run = async (parameters) => {
    started = true;
    unwanted = false;
    trouble.hidden = true;
    setBusy(true);
    said.textContent = "Starting …";
    const name = newJobName();
    sessionStorage.setItem(jobKey, name); // before the server knows: whoever reloads now finds it all the same
    try {
      await follow(await startJob(action, view, parameters, name));
    } catch (error) {
      if (!(error instanceof ServerSilent)) sessionStorage.removeItem(jobKey); // a page that is left hears nobody, either
      setBusy(false);
      fail(error);
    }
  };

  const stop = async () => {
    said.textContent = "Cancelling …";
    if (running === null) unwanted = true;
    else await cancelJob(running).catch(fail);
  };

  /** After a reload: the running job again, or the last answer from the server's cache. */
  const resume = async () => {
    const job = sessionStorage.getItem(jobKey);
    if (job) {
      const found = await jobNow(job, 0).catch(() => null);
      if (found && (found.state === "waiting" || found.state === "running")) return follow(found);
      sessionStorage.removeItem(jobKey);
    }
    if (given.many) return undefined;
    const done = doneWith(view).findLast((each) => each.action === action);
    if (!done) return undefined;
    try {
      const kept = await ifKept(action, view, done.parameters);
      if (kept) show(kept);
      else fill(said, "Worked out before, but this server does not have the answer. ", button("Work it out as it was", () => run(done.parameters), { class: "plain" }));
    } catch (error) {
      if (!(error instanceof Refusal)) say(String(error), { bad: true });
    }
    return undefined;
  };

  return { root, check, run, resume, start };
}
