// The one Python of a page, for its panels and its fields. It lies beside the pages and is loaded when something
// first asks for it; in a worker, so that the page stays quick and what runs for ever can be stopped.

const here = new URL(".", import.meta.url);
export const SIZE = "14 MB"; // of what is loaded, as a test adds it up
let python; // a promise of the worker, once it is ready
let last = Promise.resolve(); // one call at a time

const started = () =>
  new Promise((ready, failed) => {
    // A worker from an address has that address's policy, and where pages just lie about it has none. One from a
    // blob has the page's, which lets its imports and requests reach this origin only.
    const script = `import ${JSON.stringify(new URL("python-worker.js", here).href)};`;
    const blob = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    const worker = new Worker(blob, { type: "module" });
    worker.onmessage = ({ data }) => {
      URL.revokeObjectURL(blob); // read by now
      if (data.error) failed(new Error(data.error));
      else ready(worker);
    };
    worker.onerror = () => {
      URL.revokeObjectURL(blob);
      failed(new Error("the worker does not start"));
    };
  });

export function load() {
  python ??= started().catch((error) => {
    python = undefined; // the next call tries again
    throw error;
  });
  return python;
}

// What the button does that starts Python: says so in a status, and keeps the focus where it is.
export async function startBy(button, said) {
  if (button.getAttribute("aria-disabled") === "true") return false;
  button.setAttribute("aria-disabled", "true"); // not disabled: the focus would be lost
  said.textContent = "Loading Python …";
  try {
    await load();
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
      if (data.error) stop(data.error); // after its own fault Python may be beyond use
      else done(data.reply);
    };
    worker.onerror = () => {
      clearTimeout(limit);
      stop("the worker failed");
    };
    worker.postMessage({ name, request });
  });
}

// The reply of a function of python-worker.js: texts both. Fails with "late" if that takes more seconds.
export function ask(name, request, seconds) {
  const reply = last.then(() => call(name, request, seconds));
  last = reply.catch(() => {});
  return reply;
}
