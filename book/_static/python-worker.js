// Python (Pyodide) in a worker, with the package and the functions for panels, fields and survey; see python.js.
//
// Starting Python takes seconds, since it imports its library. So the first start stores its memory in the
// browser's cache, before any code or answer of a reader has come, and later starts on any page take it from there.

const here = new URL(".", import.meta.url);
const SETUP = `
import random, sys
if "/lib" not in sys.path:
    sys.path.insert(0, "/lib")
random.seed()  # the stored memory has the numbers of the first start
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

// A copy of Python's memory, if there is room for one.
function memoryOf(pyodide) {
  try {
    return pyodide.makeMemorySnapshot();
  } catch {
    return undefined;
  }
}

// The cache's place for the memory of Python with this package; it is empty if the version of either is new.
// Nothing is stored where the browser has no cache for pages, and the memory of an earlier version is removed.
async function placeOf(version, archive) {
  try {
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", archive));
    const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
    const key = new URL(`memory-${version}-${hex}`, here).href;
    const cache = await caches.open(self.name);
    for (const old of await cache.keys()) if (old.url !== key) await cache.delete(old);
    const kept = await cache.match(key);
    return { kept: kept && new Uint8Array(await kept.arrayBuffer()), keep: (memory) => cache.put(key, new Response(memory)) };
  } catch {
    return { keep: () => {} };
  }
}

async function load() {
  count();
  const { loadPyodide, version } = await import(new URL("pyodide/pyodide.mjs", here));
  const archive = await (await fetch(new URL("ldpbook.zip", here))).arrayBuffer();
  const { kept, keep } = await placeOf(version, archive);
  const start = async (memory) => {
    const pyodide = await loadPyodide({ indexURL: new URL("pyodide/", here).href, ...memory });
    pyodide.unpackArchive(archive, "zip", { extractDir: "/lib" });
    const setUp = pyodide.runPython(SETUP);
    return { pyodide, setUp };
  };
  const restored = kept && await start({ _loadSnapshot: kept }).catch(() => undefined); // unusable: start anew
  const { pyodide, setUp } = restored ?? await start({ _makeSnapshot: true });
  const memory = restored ? undefined : memoryOf(pyodide);
  pyodide.setStdin({ error: true }); // no one answers input()
  close();
  return { setUp, store: async () => { if (memory) await keep(memory); } };
}

const started = load();
started.then(({ store }) => {
  postMessage({ ready: true });
  store().catch(() => {}); // no room: the next page starts Python anew
}, (error) => postMessage({ error: String(error) }));

self.onmessage = async ({ data: { name, request } }) => {
  try {
    const named = (await started).setUp.get(name);
    postMessage({ reply: named(request) });
  } catch (error) {
    postMessage({ error: String(error) });
  }
};
