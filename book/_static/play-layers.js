// Two layers, read by a curator: the more answers a worker gives, the better her flips are known.

const PEOPLE = ["Ann", "Bob", "Cem"];

export const sliders = { high: ["upper end of the interval", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]] };

export const draw = (state, random) => ({
  drawn: PEOPLE.map(random),
  uniforms: state.uniforms.map((row) => row.map(random)),
});

// Integral of p^flips (1 - p)^kept from 0 to high, by parts.
export const weight = (flips, kept, high) => {
  const rest = kept === 0 ? 0 : kept * weight(flips + 1, kept - 1, high);
  return (high ** (flips + 1) * (1 - high) ** kept + rest) / (flips + 1);
};

// How much likelier a report is true than flipped, if so many of the k - 1 others are flips.
const ratio = (flips, k, high) => weight(flips, k - flips, high) / weight(flips + 1, k - flips - 1, high);
export const epsilon = (k, high) => Math.max(...[0, k - 1].map((flips) => Math.abs(Math.log(ratio(flips, k, high)))));

export function parts({ high, drawn, uniforms, step }) {
  const shown = {};
  PEOPLE.forEach((person, i) => {
    const p = drawn[i] * high;
    const flips = uniforms[i].slice(0, step).map((u) => u < p);
    const d = flips.filter(Boolean).length;
    const mean = weight(d + 1, step - d, high) / weight(d, step - d, high);
    const odds = ratio(d - flips.at(-1), step, high);
    shown[`who${i}`] = `${person}, ${p.toFixed(2)}`;
    shown[`sent${i}`] = flips.map((flip) => (flip ? "0" : "1")).join("");
    shown[`mean${i}`] = mean.toFixed(2);
    shown[`meanbar${i}`] = mean;
    shown[`true${i}`] = (odds / (1 + odds)).toFixed(3);
    shown[`truebar${i}`] = odds / (1 + odds);
  });
  const [one, now] = [1, step].map((k) => epsilon(k, high));
  const belief = (loss) => (1 / (1 + Math.exp(-loss))).toFixed(3);
  const answers = step === 1 ? "1 answer" : `${step} answers`;
  shown.point = `With ${answers} the epsilon of a cell is ${now.toFixed(2)}: starting from even odds, the curator is right about it with probability ${belief(now)} at most. For a single answer these are ${one.toFixed(2)} and ${belief(one)}.`;
  return shown;
}
