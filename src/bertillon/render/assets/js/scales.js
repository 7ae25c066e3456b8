// Where a value lies on a linear, log or normal-deviate axis, and which ticks the axis has.

const LOW_PERCENTS = [1e-7, 1e-6, 1e-5, 1e-4, 0.001, 0.01, 0.1, 1, 2, 5, 10, 20, 40];
const PERCENTS = [...LOW_PERCENTS, ...LOW_PERCENTS.map((p) => 100 - p).reverse()];
const SUPERSCRIPTS = Object.fromEntries([..."-0123456789"].map((sign, i) => [sign, "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"[i]]));

/** The share of a normal distribution below z, for z of 0 or less. */
function below(z) {
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  if (z > -3) {
    // the odd series around zero
    let term = z;
    let sum = z;
    for (let k = 1; Math.abs(term) > 1e-17; k += 1) {
      term *= (z * z) / (2 * k + 1);
      sum += term;
    }
    return 0.5 + density * sum;
  }
  let fraction = 0; // the tail by Laplace's continued fraction
  for (let k = 60; k > 0; k -= 1) fraction = k / (-z + fraction);
  return density / (-z + fraction);
}

/** The normal deviate of a share: a first guess, then Newton's steps on the logarithm of the tail. */
function deviate(share) {
  if (share > 0.5) return -deviate(1 - share);
  const t = Math.sqrt(-2 * Math.log(share));
  let z = (2.30753 + 0.27061 * t) / (1 + 0.99229 * t + 0.04481 * t * t) - t;
  for (let step = 0; step < 4; step += 1) {
    const tail = below(Math.min(z, 0));
    const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
    z -= (Math.log(tail / share) * tail) / density;
  }
  return z;
}

/** A rate as a place on an axis; 0 (and on normal axes 1) half a trial inside, and a single trial counted as two. */
function placed(rate, trials, kind) {
  const lowest = 0.5 / Math.max(trials, 2);
  if (kind === "linear") return rate;
  if (kind === "log") return Math.log10(Math.max(rate, lowest));
  return deviate(Math.min(Math.max(rate, lowest), 1 - lowest));
}

/** A value on a bent axis: up to `linear` evenly, beyond by its logarithm; 0 bends nothing. */
function bent(value, linear) {
  return linear ? Math.asinh(value / linear) : value;
}

/** An axis from one place to another; `at` turns a value into a share of its length. */
class Scale {
  constructor(kind, low, high, ticks, unit = "number", linear = 0) {
    Object.assign(this, { kind, low, high, ticks, unit, linear });
  }

  at(place) {
    const [low, at, high] = [this.low, place, this.high].map((one) => bent(one, this.linear));
    return (at - low) / (high - low);
  }

  value(share) {
    const [low, high] = [this.low, this.high].map((one) => bent(one, this.linear));
    const at = low + share * (high - low);
    return this.linear ? Math.sinh(at) * this.linear : at;
  }
}

/** An axis of rates measured on so many trials, up to a rate of `upper`. */
function rateScale(kind, trials, upper = 1) {
  const [low, high] = padded(placed(0, trials, kind), placed(upper, trials, kind));
  if (kind === "linear") return new Scale(kind, low, high, linearTicks(0, upper, (v) => percentText(v)), "rate");
  const ticks = kind === "log" ? logTicks(low, high) : normalTicks(low, high);
  return new Scale(kind, low, high, ticks, "rate");
}

/** An axis of plain numbers. */
function numberScale(low, high, kind = "linear", linear = 0) {
  if (linear) return new Scale("asinh", low, high, bentTicks(low, high, linear), "number", linear);
  if (kind === "log") {
    const ends = padded(Math.log10(low), Math.log10(high));
    return new Scale(kind, ...ends, rankTicks(low, high));
  }
  return new Scale(kind, low, high, linearTicks(low, high, (v) => amountText(v)));
}

/** An axis of names, a row each from the top; each stands above the middle of its row. */
function nameScale(names) {
  const ticks = names.map((label, place) => ({ place, label }));
  return new Scale("names", names.length - 0.3, -0.7, ticks);
}

function padded(low, high) {
  const room = 0.03 * (high - low || 1);
  return [low - room, high + room];
}

/** Ticks at 1, 2 or 5 times a power of ten: the widest steps that give at least five of them. */
function linearTicks(low, high, write) {
  const rough = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [5, 2, 1].find((digit) => digit * power <= rough);
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i += 1) {
    ticks.push({ place: i * step, label: write(Number((i * step).toPrecision(12))) });
  }
  return ticks;
}

function logTicks(low, high) {
  const ticks = [];
  for (let e = Math.floor(low); e <= Math.ceil(high); e += 1) {
    ticks.push({ place: e, label: e === 0 ? "1" : `10${[...String(e)].map((sign) => SUPERSCRIPTS[sign]).join("")}` });
    if (high - low <= 2) {
      for (const digit of [2, 5]) ticks.push({ place: e + Math.log10(digit), label: significant(digit * 10 ** e, 3) });
    }
  }
  return ticks.filter((tick) => tick.place >= low && tick.place <= high);
}

function normalTicks(low, high) {
  return PERCENTS.map((percent) => ({ place: deviate(percent / 100), label: `${plain(percent)} %` })).filter(
    (tick) => tick.place >= low && tick.place <= high,
  );
}

/** 0 and powers of ten, those near 0 first. */
function bentTicks(low, high, linear) {
  const ticks = [{ place: 0, label: "0" }];
  const most = Math.log10(Math.max(Math.abs(low), Math.abs(high)));
  for (let e = Math.floor(Math.log10(linear)); e <= most; e += 1) {
    for (const place of [10 ** e, -(10 ** e)]) ticks.push({ place, label: amountText(Number(place.toPrecision(3))) });
  }
  return ticks.filter((tick) => tick.place >= low && tick.place <= high);
}

function rankTicks(low, high) {
  const ticks = [];
  for (let power = 1; power <= high; power *= 10) {
    for (const digit of [1, 2, 5]) {
      const rank = digit * power;
      if (rank >= low && rank <= high) ticks.push({ place: Math.log10(rank), label: grouped(String(rank)) });
    }
  }
  return ticks;
}

/** A number without an exponent. */
function plain(value) {
  const text = Number(value.toPrecision(10));
  return text < 1e-6 && text > 0 ? text.toFixed(7) : String(text);
}
