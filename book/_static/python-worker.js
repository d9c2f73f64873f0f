// Python (Pyodide) in a worker, with the package and the functions for panels, fields and survey; see python.js.

const here = new URL(".", import.meta.url);
const SETUP = `
import sys
sys.path.insert(0, "/lib")
from ldp_browser.answers import judge
from ldp_browser.panels import evaluate
from ldp_browser.worker import asked
{"asked": asked, "evaluate": evaluate, "judge": judge}
`;

// Everything that could send or store data is removed once all is loaded. An import cannot be removed, but the
// page's policy also holds in this worker (see python.js): imports reach only scripts of this origin, and nothing
// here creates one.
const SENDERS = ["fetch", "XMLHttpRequest", "WebSocket", "WebTransport", "EventSource", "Worker", "importScripts",
  "FontFace", "caches", "indexedDB", "BroadcastChannel", "WebSocketStream",
  "webkitRequestFileSystem", "webkitRequestFileSystemSync", "webkitResolveLocalFileSystemURL",
  "webkitResolveLocalFileSystemSyncURL"];
const KEEPERS = ["storage", "storageBuckets", "serviceWorker", "locks"]; // of the navigator

function close() {
  const without = (object, names) => {
    for (let holder = object; holder; holder = Object.getPrototypeOf(holder)) {
      for (const name of names) delete holder[name];
    }
  };
  without(self, SENDERS);
  without(navigator, KEEPERS);
}

// Tell the page how many bytes have come, at each whole megabyte.
function count() {
  const plain = fetch;
  let loaded = 0;
  const counted = () => new TransformStream({
    transform(piece, out) {
      const before = loaded;
      loaded += piece.byteLength;
      if (Math.round(before / 1e6) < Math.round(loaded / 1e6)) postMessage({ loaded });
      out.enqueue(piece);
    },
  });
  self.fetch = async (...asked) => {
    const { body, status, headers } = await plain(...asked);
    return new Response(body.pipeThrough(counted()), { status, headers });
  };
}

async function load() {
  count();
  const { loadPyodide } = await import(new URL("pyodide/pyodide.mjs", here));
  const pyodide = await loadPyodide({ indexURL: new URL("pyodide/", here).href });
  const archive = await fetch(new URL("ldpbook.zip", here));
  pyodide.unpackArchive(await archive.arrayBuffer(), "zip", { extractDir: "/lib" });
  pyodide.setStdin({ error: true }); // no one answers input()
  const setUp = pyodide.runPython(SETUP);
  close();
  return setUp;
}

const functions = load();
functions.then(() => postMessage({ ready: true }), (error) => postMessage({ error: String(error) }));

self.onmessage = async ({ data: { name, request } }) => {
  try {
    const named = (await functions).get(name);
    postMessage({ reply: named(request) });
  } catch (error) {
    postMessage({ error: String(error) });
  }
};
