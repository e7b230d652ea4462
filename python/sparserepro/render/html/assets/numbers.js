// Numbers: means of ratios, the largest and least, and how they are written.

const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

/** Geometric mean of ratios above 0; null of none. */
function geometricMean(ratios) {
  const found = ratios.filter((ratio) => isNumber(ratio) && ratio > 0);
  if (!found.length) return null;
  return Math.exp(found.reduce((sum, ratio) => sum + Math.log(ratio), 0) / found.length);
}

/** Each time over the least one; null where there is no time. */
function ratiosToBest(times) {
  const found = times.filter((time) => isNumber(time) && time > 0);
  if (!found.length) return times.map(() => null);
  const best = Math.min(...found);
  return times.map((time) => (isNumber(time) && time > 0 ? time / best : null));
}

const least = (values) => values.reduce((a, b) => Math.min(a, b), Infinity);
const most = (values) => values.reduce((a, b) => Math.max(a, b), -Infinity);

/** Plain decimal with `digits` significant digits: 0.0123, 1.23, 12.3, 1230. */
function significant(value, digits = 3) {
  if (!isNumber(value)) return "–";
  if (value === 0) return "0";
  const exponent = Math.floor(Math.log10(Math.abs(Number(value.toPrecision(digits)))));
  const decimals = digits - 1 - exponent;
  if (decimals >= 0) return value.toFixed(Math.min(decimals, 12));
  const step = 10 ** -decimals;
  return grouped(Math.round(value / step) * step);
}

/** A count with thin spaces between thousands. */
function grouped(value) {
  if (!isNumber(value)) return "–";
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

const UNITS = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];

const unitOf = (seconds) => UNITS.find(([size]) => seconds >= size * 0.9995) || UNITS.at(-1);

/** Seconds in a unit of their size: 62.9 µs. */
function duration(seconds) {
  if (!isNumber(seconds)) return "–";
  if (seconds === 0) return "0 s";
  const [size, unit] = unitOf(Math.abs(seconds));
  return `${significant(seconds / size)}\u00a0${unit}`;
}

/** An interval in one unit: 62.7 to 63.2 µs. */
function durationInterval(low, high) {
  if (!isNumber(low) || !isNumber(high)) return "no interval";
  const [size, unit] = unitOf(high);
  return `${significant(low / size, 4)} to ${significant(high / size, 4)}\u00a0${unit}`;
}

const times = (ratio, digits = 3) =>
  isNumber(ratio) ? `${significant(ratio, digits)}×` : "–";

const percent = (share) => {
  if (!isNumber(share)) return "–";
  return `${significant(100 * share, share < 0.1 ? 2 : 3)}\u00a0%`;
};

function bytes(value) {
  if (!isNumber(value)) return "–";
  const unit = [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]].find(([s]) => value >= s);
  return unit ? `${significant(value / unit[0])}\u00a0${unit[1]}` : `${value}\u00a0B`;
}

const plural = (count, noun, many = `${noun}s`) => `${grouped(count)} ${count === 1 ? noun : many}`;

/** Marks of a logarithmic axis between two values: 1, 2, 5 of each decade, fewer over many. */
function logMarks(low, high) {
  const decades = Math.log10(high / low);
  const steps = decades > 3.2 ? [1] : decades > 2.2 ? [1, 3] : decades > 0.9 ? [1, 2, 5] : [1, 1.5, 2, 3, 5, 7];
  const found = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power += 1) {
    for (const step of steps) {
      const mark = step * 10 ** power;
      if (mark >= low * 0.999 && mark <= high * 1.001) found.push(mark);
    }
  }
  const every = Math.ceil(found.length / 9);
  return found.filter((_, index) => index % every === 0);
}

/** Share of the way from low to high on a logarithmic axis, in percent. */
const logPlace = (value, low, high) => (100 * Math.log(value / low)) / Math.log(high / low);

/** Orders words with numbers in them: k=4 before k=16. */
const byName = (a, b) => String(a).localeCompare(String(b), "en", { numeric: true });
