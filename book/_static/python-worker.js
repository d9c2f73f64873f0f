// Python (Pyodide) away from the page, with the package and what panels and fields ask of it; see python.js.

const here = new URL(".", import.meta.url);
const SETUP = `
import sys
sys.path.insert(0, "/lib")
from answers import judge
from panels import evaluate
{"evaluate": evaluate, "judge": judge}
`;

async function load() {
  const { loadPyodide } = await import(new URL("pyodide/pyodide.mjs", here));
  const pyodide = await loadPyodide({ indexURL: new URL("pyodide/", here).href });
  const archive = await fetch(new URL("ldpbook.zip", here));
  pyodide.unpackArchive(await archive.arrayBuffer(), "zip", { extractDir: "/lib" });
  pyodide.setStdin({ error: true }); // nobody answers input()
  return pyodide.runPython(SETUP);
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
