// Formulas in words, by the Speech Rule Engine. Each line is JSON: {"id", "mathml"} in, {"id", "made"} out.
// MathSpeak says exactly what is written, bracket by bracket; other rules guess products, bars and ends of roots.
const readline = require("readline");
const engine = require("speech-rule-engine");

engine.setupEngine({ locale: "en", domain: "mathspeak", modality: "speech", markup: "none" }).then(() => {
  readline.createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, mathml } = JSON.parse(line);
    process.stdout.write(JSON.stringify({ id, made: engine.toSpeech(mathml) }) + "\n");
  });
});
