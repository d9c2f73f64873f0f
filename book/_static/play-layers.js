// Two layers, read by a curator: the more answers a worker gives, the better her flips are known.

const PEOPLE = ["Ann", "Bob", "Cem"];

export const sliders = { high: ["upper end b", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]] };

export const draw = (state, random) => ({
  drawn: PEOPLE.map(random),
  uniforms: state.uniforms.map((row) => row.map(random)),
});

// Integral of p^flips (1 - p)^kept from 0 to high, by parts.
export const weight = (flips, kept, high) => {
  const rest = kept === 0 ? 0 : kept * weight(flips + 1, kept - 1, high);
  return (high ** (flips + 1) * (1 - high) ** kept + rest) / (flips + 1);
};

// How much likelier a report is true than flipped, if this many of the k - 1 others are flips.
const ratio = (flips, k, high) => weight(flips, k - flips, high) / weight(flips + 1, k - flips - 1, high);
export const epsilon = (k, high) => Math.max(...[0, k - 1].map((flips) => Math.abs(Math.log(ratio(flips, k, high)))));

// Mean and standard deviation of a flip probability, given how many of the known answers it flipped.
function belief(flips, known, high) {
  const [total, first, second] = [0, 1, 2].map((power) => weight(flips + power, known - flips, high));
  return [first / total, Math.sqrt(second / total - (first / total) ** 2)];
}

export function parts({ high, drawn, uniforms, step }) {
  const shown = {};
  PEOPLE.forEach((person, i) => {
    const p = drawn[i] * high;
    const flips = uniforms[i].map((u) => u < p);
    const [mean, spread] = belief(flips.slice(0, step - 1).filter(Boolean).length, step - 1, high);
    shown[`who${i}`] = `${person}, ${p.toFixed(2)}`;
    flips.forEach((flip, j) => { shown[`sent${i}_${j}`] = flip ? ["0", "new"] : "1"; });
    shown[`mean${i}`] = `${mean.toFixed(2)} ± ${spread.toFixed(2)}`;
    shown[`true${i}`] = (1 - mean).toFixed(3);
    shown[`truebar${i}`] = 1 - mean;
  });
  const [one, now] = [1, step].map((k) => epsilon(k, high));
  const right = (loss) => (1 / (1 + Math.exp(-loss))).toFixed(3);
  const answers = step === 1 ? "1 answer" : `${step} answers`;
  shown.point = `With ${answers} the epsilon of a cell is ${now.toFixed(2)}: starting from even odds, the curator is right about it with probability ${right(now)} at most. For a single answer these are ${one.toFixed(2)} and ${right(one)}.`;
  return shown;
}
