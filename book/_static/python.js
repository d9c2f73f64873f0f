// The one Python of a page, for its panels and its fields. It lies beside the pages and is loaded when something
// first asks for it; in a worker, so that the page stays quick and what runs for ever can be stopped.

const here = new URL(".", import.meta.url);
let python; // a promise of the worker, once it is ready
let last = Promise.resolve(); // one call at a time

const started = () =>
  new Promise((ready, failed) => {
    const worker = new Worker(new URL("python-worker.js", here), { type: "module" });
    worker.onmessage = ({ data }) => (data.error ? failed(new Error(data.error)) : ready(worker));
    worker.onerror = () => failed(new Error("the worker does not start"));
  });

export function load() {
  python ??= started().catch((error) => {
    python = undefined; // the next call tries again
    throw error;
  });
  return python;
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
    worker.postMessage({ name, request });
  });
}

// The reply of a function of python-worker.js: texts both. Fails with "late" if that takes more seconds.
export function ask(name, request, seconds) {
  const reply = last.then(() => call(name, request, seconds));
  last = reply.catch(() => {});
  return reply;
}
