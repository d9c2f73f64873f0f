// Formulas from TeX to MathML, a line of JSON each: {"tex": ..., "display": ...} in, a string out.
const readline = require("readline");

require("mathjax")
  .init({ loader: { load: ["input/tex"] }, tex: { packages: { "[+]": ["ams"] } } })
  .then((MathJax) => {
    readline.createInterface({ input: process.stdin }).on("line", (line) => {
      const { tex, display } = JSON.parse(line);
      process.stdout.write(JSON.stringify(MathJax.tex2mml(tex, { display })) + "\n");
    });
  });
