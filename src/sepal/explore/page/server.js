// @ts-check
// All that the page asks of the server: login, questions, jobs, files. Large arrays come as bytes.

/** @typedef {{code: string, message: string, hint: string | null}} ServerError */
/**
 * @typedef {object} View
 * @property {string} data
 * @property {string | null} target
 * @property {Record<string, string>} kinds
 * @property {string[]} left_out
 * @property {string | null} task
 * @property {string} scale
 * @property {string} distance
 * @property {string[] | null} columns
 * @property {number | null} sample so many rows drawn at random in place of all
 * @property {string | null} groups the column that says which rows belong together
 * @property {string[]} ids
 * @property {string[]} na
 * @property {string | null} encoding
 * @property {string} missing_target
 * @property {string} missing rows with missing cells: "distance" leaves these to the distance, "drop" leaves the rows out
 */
/**
 * @typedef {object} Answer
 * @property {string} action
 * @property {Record<string, any>} parameters
 * @property {any} result
 * @property {{shell: string, python: string}} code
 * @property {number} seconds
 * @property {string | null} note
 */
/**
 * @typedef {object} Job
 * @property {string} job
 * @property {string} action
 * @property {"waiting" | "running" | "done" | "failed" | "cancelled"} state
 * @property {string} text
 * @property {number} share
 * @property {number} elapsed
 * @property {number | null} left
 * @property {ServerError | null} error
 */

/** With a full stop at the end. @param {string} text */
const ended = (text) => (/[.!?]$/.test(text) ? text : `${text}.`);

/** The server said no. */
export class Refusal extends Error {
  /** @param {ServerError} given @param {number} status */
  constructor(given, status) {
    super(given.hint ? `${ended(given.message)} ${ended(given.hint[0].toUpperCase() + given.hint.slice(1))}` : given.message);
    this.code = given.code;
    this.status = status;
  }
}

/** The server did not answer. */
export class ServerSilent extends Error {}

const channel = Math.random().toString(36).slice(2);
let bearer = sessionStorage.getItem("sepal-bearer") ?? "";
const air = new BroadcastChannel("sepal");
air.addEventListener("message", (event) => {
  if (event.data === "bearer?" && bearer) air.postMessage({ bearer });
});

/** Ask the other tabs for what lets them in; a link that was copied into a new tab then works. */
function fromOtherTabs() {
  return new Promise((resolve) => {
    const end = setTimeout(() => resolve(""), 400);
    air.addEventListener("message", function heard(event) {
      if (!event.data?.bearer) return;
      clearTimeout(end);
      air.removeEventListener("message", heard);
      resolve(event.data.bearer);
    });
    air.postMessage("bearer?");
  });
}

/** @type {any} what the login said of the start, so that it need not be asked for */
let first = null;

/** What there is at first: sets, files, and what was given on the command line. */
export async function startFacts() {
  const told = first ?? (await call("GET", "/api/start"));
  first = null;
  return told;
}

/** Exchange the one-time token of the link; returns whether the page may ask. */
export async function login() {
  const token = /^#token=([^&]+)/.exec(location.hash)?.[1];
  if (token) {
    const kept = sessionStorage.getItem("sepal-address") ?? "";
    history.replaceState(null, "", location.pathname + location.search + kept);
    const answer = await call("POST", "/api/login", { token });
    bearer = answer.bearer;
    first = answer.start;
  }
  if (!bearer) bearer = await fromOtherTabs();
  if (bearer) sessionStorage.setItem("sepal-bearer", bearer);
  return bearer !== "";
}

/** @type {((gone: boolean) => void)[]} */
const listeners = [];
let gone = false;

/** @param {(gone: boolean) => void} listener called when the server goes or comes back */
export function onGone(listener) {
  listeners.push(listener);
}

/** @param {boolean} now */
function setGone(now) {
  if (gone === now) return;
  gone = now;
  for (const listener of listeners) listener(now);
  if (now) lookAgain();
}

function lookAgain() {
  setTimeout(async () => {
    if (!gone) return;
    await call("GET", "/api/jobs").catch(() => null);
    if (gone) lookAgain();
  }, 2000);
}

/**
 * @param {string} method
 * @param {string} path
 * @param {any} [body]
 * @param {{raw?: boolean, binary?: boolean}} [how]
 * @returns {Promise<any>}
 */
export async function call(method, path, body, how = {}) {
  /** @type {Record<string, string>} */
  const headers = { "X-Sepal": "1" };
  if (bearer) headers.Authorization = `Bearer ${bearer}`;
  if (how.binary) headers.Accept = "application/x-sepal";
  if (body !== undefined) headers["Content-Type"] = how.raw ? "application/octet-stream" : "application/json";
  let answer;
  try {
    answer = await fetch(path, { method, headers, body: body === undefined ? undefined : how.raw ? body : JSON.stringify(body), cache: "no-store" });
  } catch {
    setGone(true);
    throw new ServerSilent("the server does not answer");
  }
  setGone(false);
  const type = answer.headers.get("Content-Type") ?? "";
  if (!answer.ok) {
    const told = type.includes("json") ? (await answer.json()).error : null;
    throw new Refusal(told ?? { code: "broken", message: `The server answered ${answer.status}.`, hint: null }, answer.status);
  }
  if (type.includes("x-sepal")) return unpack(await answer.arrayBuffer());
  return type.includes("json") ? answer.json() : answer.text();
}

const TYPES = { f8: Float64Array, f4: Float32Array, i4: Int32Array, u4: Uint32Array, u2: Uint16Array, u1: Uint8Array };

/**
 * JSON with arrays behind it; those of two axes keep their shape as `.shape`.
 * @param {ArrayBuffer} buffer
 */
export function unpack(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const told = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const arrays = (told.arrays ?? []).map((/** @type {any} */ each) => {
    const Type = TYPES[/** @type {keyof typeof TYPES} */ (each.dtype)];
    const made = new Type(buffer, 4 + length + each.offset, each.bytes / Type.BYTES_PER_ELEMENT);
    return Object.assign(made, { shape: each.shape });
  });
  /** @param {any} value @returns {any} */
  const filled = (value) => {
    if (value === null || typeof value !== "object") return value;
    if ("$array" in value) return arrays[value.$array];
    for (const key of Object.keys(value)) value[key] = filled(value[key]);
    return value;
  };
  return filled(told);
}

/**
 * The numbers of an answer, flat, whether they came as bytes or as (nested) lists; null becomes NaN.
 * @param {any} values
 * @returns {any} a typed array, or Float64Array
 */
export function flat(values) {
  if (values === null || values === undefined) return new Float64Array(0);
  if (ArrayBuffer.isView(values)) return values;
  return Float64Array.from(values.flat(2), (/** @type {number | null} */ v) => (v === null ? NaN : v));
}

/**
 * A matrix as a list of rows, whether it came as bytes or as nested lists.
 * @param {any} values
 * @returns {number[][]}
 */
export function rowsOf(values) {
  if (!ArrayBuffer.isView(values)) return values;
  const [many, wide] = /** @type {{shape: number[]}} */ (/** @type {unknown} */ (values)).shape;
  const all = /** @type {Float64Array} */ (values);
  return Array.from({ length: many }, (_, i) => Array.from(all.subarray(i * wide, (i + 1) * wide)));
}

/**
 * A cheap question.
 * @param {string} action
 * @param {View} view
 * @param {Record<string, any>} [parameters]
 * @param {string} [lane] a newer question in the same lane takes the place of the older
 * @returns {Promise<Answer>}
 */
export function ask(action, view, parameters = {}, lane = String(++asked)) {
  return call("POST", `/api/do/${action}`, { view, parameters, channel: `${channel} ${lane}` }, { binary: true });
}
let asked = 0;

/**
 * An answer that the server still has; null where it would have to be worked out.
 * @param {string} action
 * @param {View} view
 * @param {Record<string, any>} parameters
 * @returns {Promise<Answer | null>}
 */
export async function ifKept(action, view, parameters) {
  const told = await call("POST", `/api/do/${action}`, { view, parameters, only_kept: true }, { binary: true });
  return told.kept === false ? null : told;
}

/**
 * Questions of one kind, one at a time: while one is out only the newest waits, and only the newest answer counts.
 * @param {string} action
 * @param {(answer: Answer, asked: any) => void} then
 * @param {(error: unknown) => void} fail
 */
export function latest(action, then, fail) {
  let busy = false;
  /** @type {[View, Record<string, any>] | null} */
  let next = null;
  const run = async () => {
    busy = true;
    while (next) {
      const [view, parameters] = next;
      next = null;
      try {
        then(await ask(action, view, parameters, "live"), parameters);
      } catch (error) {
        if (!(error instanceof Refusal && error.code === "cancelled")) fail(error);
      }
    }
    busy = false;
  };
  return (/** @type {View} */ view, /** @type {Record<string, any>} */ parameters) => {
    next = [view, parameters];
    if (!busy) run();
  };
}

/** A name for a job, by which a page that was reloaded before the server answered finds it. */
export const newJobName = () => Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");
/** @param {string} action @param {View} view @param {Record<string, any>} parameters @param {string} [name] @returns {Promise<Job>} */
export const startJob = (action, view, parameters, name) =>
  call("POST", "/api/jobs", { action, view, parameters, name, channel: `${channel} ${action}` });
/** @param {string} job @param {number} wait @returns {Promise<Job>} */
export const jobNow = (job, wait) => call("GET", `/api/jobs/${encodeURIComponent(job)}?wait=${wait}`);
/** @param {string} job @returns {Promise<Answer>} */
export const jobAnswer = (job) => call("GET", `/api/jobs/${encodeURIComponent(job)}/answer`, undefined, { binary: true });
/** @param {string} job @returns {Promise<Job>} */
export const cancelJob = (job) => call("DELETE", `/api/jobs/${encodeURIComponent(job)}`);
/**
 * A job that is cheap for a table of this size, from its start to its answer.
 * @param {string} action
 * @param {View} view
 * @param {Record<string, any>} parameters
 */
export async function soon(action, view, parameters) {
  let job = await startJob(action, view, parameters);
  while (job.state === "waiting" || job.state === "running") job = await jobNow(job.job, 5);
  if (job.state === "done") return jobAnswer(job.job);
  throw new Refusal(job.error ?? { code: "cancelled", message: "A newer question took its place.", hint: null }, 499);
}
/** @param {File} file */
export const upload = (file) => call("POST", `/api/upload?name=${encodeURIComponent(file.name)}`, file, { raw: true });
