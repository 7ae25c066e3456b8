// How sure a share of independent trials is: Clopper and Pearson's interval, from the beta distribution.

/** The logarithm of the gamma function, by Stirling's series beyond 10. */
function logGamma(x) {
  let [shifted, product] = [x, 1];
  for (; shifted < 10; shifted += 1) product *= shifted;
  const square = 1 / (shifted * shifted);
  const series = (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680))) / shifted;
  return (shifted - 0.5) * Math.log(shifted) - shifted + 0.5 * Math.log(2 * Math.PI) + series - Math.log(product);
}

/** The share of a beta distribution below x. */
function betaBelow(x, a, b) {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - betaBelow(1 - x, b, a);
  const front = logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x);
  return (Math.exp(front) / a) * betaFraction(x, a, b);
}

/** Its continued fraction, term by term from the first (Lentz). */
function betaFraction(x, a, b) {
  const tiny = 1e-300;
  const away = (value) => (Math.abs(value) < tiny ? tiny : value);
  let [up, down] = [1, 1 / away(1 - ((a + b) * x) / (a + 1))];
  let value = down;
  for (let m = 1; m < 100000; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    let step = 1;
    for (const term of [even, odd]) {
      down = 1 / away(1 + term * down);
      up = away(1 + term / up);
      step = up * down;
      value *= step;
    }
    if (Math.abs(step - 1) < 1e-15) break;
  }
  return value;
}

/** The x below which such a share of a beta distribution lies. */
function betaQuantile(share, a, b) {
  let [low, high] = [0, 1];
  for (let step = 0; step < 80; step += 1) {
    const middle = (low + high) / 2;
    if (betaBelow(middle, a, b) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Both ends for so many errors among independent trials. */
function clopperPearson(errors, trials, level) {
  const tail = (1 - level) / 2;
  const low = errors === 0 ? 0 : betaQuantile(tail, errors, trials - errors + 1);
  const high = errors === trials ? 1 : betaQuantile(1 - tail, errors + 1, trials - errors);
  return [low, high];
}
