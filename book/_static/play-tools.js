// What the plays have in common: numbers as they are printed, and random numbers from a seed.

export const signed = (number, digits) => number.toFixed(digits).replace("-", "−");
export const whole = (number) => number.toLocaleString("en", { maximumFractionDigits: 0 });
export const sum = (numbers) => numbers.reduce((total, x) => total + x, 0);

// Uniform numbers between 0 and 1, neither of them included (mulberry32).
export function uniforms(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (((mixed ^ (mixed >>> 14)) >>> 0) + 0.5) / 2 ** 32;
  };
}
