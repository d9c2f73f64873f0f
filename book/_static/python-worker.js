// Python (Pyodide) away from the page, with the package and what panels and fields ask of it; see python.js.

const here = new URL(".", import.meta.url);
const SETUP = `
import sys
sys.path.insert(0, "/lib")
from answers import judge
from asked import asked
from panels import evaluate
{"asked": asked, "evaluate": evaluate, "judge": judge}
`;

// The page's policy does not reach a worker: what could send or keep something is taken away once all is loaded.
// An import cannot be taken away; nothing that runs here makes one with what a reader typed.
const SENDERS = ["fetch", "XMLHttpRequest", "WebSocket", "WebTransport", "EventSource", "Worker", "importScripts",
  "FontFace", "caches", "indexedDB", "BroadcastChannel", "WebSocketStream"];

function close() {
  for (const name of SENDERS) {
    for (let holder = self; holder; holder = Object.getPrototypeOf(holder)) delete holder[name];
  }
}

async function load() {
  const { loadPyodide } = await import(new URL("pyodide/pyodide.mjs", here));
  const pyodide = await loadPyodide({ indexURL: new URL("pyodide/", here).href });
  const archive = await fetch(new URL("ldpbook.zip", here));
  pyodide.unpackArchive(await archive.arrayBuffer(), "zip", { extractDir: "/lib" });
  pyodide.setStdin({ error: true }); // nobody answers input()
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
