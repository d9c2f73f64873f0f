// A page's single Python, for its panels and its fields. It is served beside the pages and loaded when first
// needed. It runs in a worker, so that the page stays responsive and endless code can be stopped.

import { element } from "./element.js";

const here = new URL(".", import.meta.url);
export const SIZE = "14 MB"; // of the files loaded; a test checks the sum
let python; // a promise of the worker, once it is ready
const waiting = new Set(); // functions that are told how many bytes have come
let last = Promise.resolve(); // one call at a time

const started = () =>
  new Promise((ready, failed) => {
    // A worker from an address has the policy of that address, which plain servers do not send. A worker from a
    // blob has the page's policy, which limits its imports and requests to this origin.
    const script = `import ${JSON.stringify(new URL("python-worker.js", here).href)};`;
    const blob = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    const worker = new Worker(blob, { type: "module" });
    worker.onmessage = ({ data }) => {
      URL.revokeObjectURL(blob); // read by now
      if (data.loaded) for (const tell of waiting) tell(data.loaded);
      else if (data.error) failed(new Error(data.error));
      else ready(worker);
    };
    worker.onerror = () => {
      URL.revokeObjectURL(blob);
      failed(new Error("the worker does not start"));
    };
  });

// A page that is opened later takes the files from the browser's cache. It cannot share this worker: a shared or
// a service worker would have the policy of its own address, and where pages just lie about that is none.
export function load(tell) {
  if (tell) waiting.add(tell);
  python ??= started()
    .catch((error) => {
      python = undefined; // the next call tries again
      throw error;
    })
    .finally(() => waiting.clear());
  return python;
}

// Appends the progress to the message; hidden from screen readers, since it changes with every megabyte.
export const counter = (said) => {
  const shown = element("span", { "aria-hidden": "true" }, said);
  return (bytes) => { shown.textContent = ` ${Math.round(bytes / 1e6)} of ${SIZE}`; };
};

// Starts Python for a button: reports it in a status, and keeps the focus on the button.
export async function startBy(button, said) {
  if (button.getAttribute("aria-disabled") === "true") return false;
  button.setAttribute("aria-disabled", "true"); // a disabled button would lose the focus
  said.textContent = "Loading Python …";
  try {
    await load(counter(said));
  } catch (error) {
    button.removeAttribute("aria-disabled");
    said.textContent = "Loading failed: try again (pages must come from a web server).";
    throw error;
  }
  return true;
}

async function call(name, request, seconds) {
  const worker = await load();
  return new Promise((done, failed) => {
    const stop = (why) => {
      worker.terminate();
      python = undefined; // the next call starts another
      failed(new Error(why));
    };
    const limit = seconds ? setTimeout(() => stop("late"), 1000 * seconds) : 0;
    worker.onmessage = ({ data }) => {
      clearTimeout(limit);
      if (data.error) stop(data.error); // after an internal error Python may be unusable
      else done(data.reply);
    };
    worker.onerror = () => {
      clearTimeout(limit);
      stop("the worker failed");
    };
    worker.postMessage({ name, request });
  });
}

// Calls a function of python-worker.js: request and reply are texts. Fails with "late" after that many seconds.
export function ask(name, request, seconds) {
  const reply = last.then(() => call(name, request, seconds));
  last = reply.catch(() => {});
  return reply;
}
