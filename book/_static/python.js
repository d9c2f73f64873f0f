// A page's single Python, for its panels and its fields. It is served beside the pages and loaded when first
// needed. It runs in a worker, so that the page stays responsive and endless code can be stopped. Each page has a
// worker of its own, which starts from the memory that the first one has stored (python-worker.js).

import { element } from "./element.js";

const here = new URL(".", import.meta.url);
export const SIZE = "14 MB"; // of the files loaded; a test checks the sum
const MEMORY = `ldpbook.memory ${here.pathname}`; // name of the cache with the memory of a Python that has started
const LOADING = "ldpbook.loading"; // name in the tab's storage for a page that was left while loading Python
let python; // a promise of the worker, once it is ready
let loading = false;
let loaded = 0; // bytes that have come
const waiting = new Set(); // functions to call with their number
let last = Promise.resolve(); // one call at a time

const started = () =>
  new Promise((ready, failed) => {
    // A worker from an address has the policy of that address, which plain servers do not send. A worker from a
    // blob has the page's policy, which limits its imports and requests to this origin.
    const script = `import ${JSON.stringify(new URL("python-worker.js", here).href)};`;
    const blob = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    const worker = new Worker(blob, { type: "module", name: MEMORY });
    worker.onmessage = ({ data }) => {
      URL.revokeObjectURL(blob); // read by now
      if (data.loaded) {
        loaded = data.loaded;
        for (const tell of waiting) tell(loaded);
      } else if (data.error) failed(new Error(data.error));
      else ready(worker);
    };
    worker.onerror = () => {
      URL.revokeObjectURL(blob);
      failed(new Error("the worker does not start"));
    };
  });

// Pages do not share a worker. One that is shared cannot be stopped while it computes, and only some browsers keep
// it from one page to the next. From an address of its own it would also lack the policy of the page.
export function load(tell) {
  if (tell) {
    waiting.add(tell);
    if (loaded) tell(loaded);
  }
  if (python) return python;
  loading = true;
  python = started()
    .catch((error) => {
      python = undefined; // the next call tries again
      throw error;
    })
    .finally(() => {
      loading = false;
      loaded = 0;
      waiting.clear();
    });
  return python;
}

// Loads Python as soon as a reader seems to need it, unless the browser is asked to save data.
export const preload = (part, event) => part.addEventListener(event, () => {
  if (!navigator.connection?.saveData) load().catch(() => {}); // a reader who asks sees the failure
}, { once: true });

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
    const fail = (why) => {
      self.caches?.delete(MEMORY).catch(() => {}); // in case the stored memory is the reason
      stop(why);
    };
    const limit = seconds ? setTimeout(() => stop("late"), 1000 * seconds) : 0;
    worker.onmessage = ({ data }) => {
      clearTimeout(limit);
      if (data.error) fail(data.error); // after an internal error Python may be unusable
      else done(data.reply);
    };
    worker.onerror = () => {
      clearTimeout(limit);
      fail("the worker failed");
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

// A reader who moves on while Python is loading sees on the next page how much has come. Files that have come
// are in the browser's cache. Without storage, that page waits until Python is needed.
addEventListener("pagehide", () => {
  try {
    if (loading) sessionStorage.setItem(LOADING, "1");
  } catch {
    // no storage
  }
});

function goOn() {
  try {
    if (!sessionStorage.getItem(LOADING)) return;
    sessionStorage.removeItem(LOADING);
  } catch {
    return;
  }
  const said = element("p", { class: "python-loads", role: "status" }, document.body, "Python is still loading …");
  load(counter(said)).catch(() => {}).finally(() => said.remove());
}
goOn();
