// Formulas with MathJax. Each line is JSON: {"id", "tex", "display", "form": "chtml" | "mathml"} in,
// {"id", "made"} out. The form "css" gives the style sheet of all chtml.
const readline = require("readline");
const FONTS = "output/chtml/fonts/woff-v2"; // beside the style sheet
const LETTERS = { em: 16, ex: 8.5, containerWidth: 1e6 }; // x-height of the pages' letters

require("mathjax")
  .init({
    loader: { load: ["input/tex", "output/chtml", "a11y/assistive-mml"] },
    tex: { packages: { "[-]": ["noundefined"] } }, // an undefined command is an error, not red text
    chtml: { adaptiveCSS: false, fontURL: FONTS },
    startup: { typeset: false },
  })
  .then((MathJax) => {
    const tree = MathJax.startup.adaptor;
    const text = (node) => tree.outerHTML(node);
    // As in TeX, a formula in a line of text may break after an operator or a comma.
    const breakable = (formula) => {
      const [math] = tree.tags(formula, "mjx-math");
      let before;
      for (const part of [...tree.childNodes(math)]) {
        const spaced = tree.getAttribute(part, "space");
        if (spaced && before === "mjx-mo") tree.insert(tree.node("wbr"), part);
        before = tree.kind(part);
      }
      return formula;
    };
    const forms = {
      chtml: ({ tex, display }) => {
        const made = MathJax.tex2chtml(tex, { display, ...LETTERS });
        return text(display ? made : breakable(made));
      },
      mathml: ({ tex, display }) => MathJax.tex2mml(tex, { display }),
      css: () => MathJax.startup.adaptor.textContent(MathJax.chtmlStylesheet()),
    };
    readline.createInterface({ input: process.stdin }).on("line", (line) => {
      const request = JSON.parse(line);
      process.stdout.write(JSON.stringify({ id: request.id, made: forms[request.form](request) }) + "\n");
    });
  });
