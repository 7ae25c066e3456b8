// The page's data, its words, and how numbers are written.

const page = JSON.parse(document.getElementById("page-data").textContent);

/** A sentence of the page's language, each {place} filled in. */
function say(key, values = {}) {
  return page.words[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

/** A number of the data: infinities are written as words in JSON. */
function number(value) {
  if (value === "inf") return Infinity;
  if (value === "-inf") return -Infinity;
  return value === null ? NaN : value;
}

/** Digits in groups of three, the way the language does it. */
function grouped(digits) {
  return digits.replace(/\B(?=(\d{3})+(?!\d))/g, say("group"));
}

/** So many significant digits, without trailing zeros. */
function significant(value, digits) {
  if (!Number.isFinite(value)) return String(value);
  return String(Number(value.toPrecision(digits)));
}

/** A count, or a sum of weights. */
function countText(value) {
  return Number.isInteger(value) ? grouped(String(value)) : significant(value, 6);
}

/** An expected number of things. */
function amountText(value) {
  if (!Number.isFinite(value)) return "–";
  return Math.abs(value) >= 1000 ? grouped(value.toFixed(0)) : significant(value, 4);
}

/** A rate in percent. */
function percentText(rate, digits = 4) {
  return Number.isFinite(rate) ? `${significant(rate * 100, digits)}\u00a0%` : "–";
}

/** Decimals of percents that show two digits of an interval's width. */
function decimalsFor([low, high]) {
  return Math.min(Math.max(1 - Math.floor(Math.log10((high - low) * 100)), 0), 12);
}

/** A share in percent: to the digits that its interval of this level supports and at least one decimal, or to four. */
function shareText(part, whole, level) {
  if (!level || !whole) return percentText(part / whole);
  const least = part && part !== whole ? 1 : 0;
  const decimals = Math.max(decimalsFor(clopperPearson(part, whole, level)), least);
  return `${((part / whole) * 100).toFixed(decimals)}\u00a0%`;
}

/** A rate of errors likewise; where no error was seen and there is an interval, its upper end too. */
function rateText(errors, trials, level) {
  if (!trials) return "–";
  if (errors !== 0 || !level) return shareText(errors, trials, level);
  const [, bound] = endTexts(clopperPearson(0, trials, level));
  return Number(bound) < 100 ? `0 (< ${bound}\u00a0%)` : percentText(0);
}

/** Both ends of an interval in percent, to two digits of its width. */
function endTexts([low, high]) {
  const digits = decimalsFor([low, high]);
  return [(low * 100).toFixed(digits), (high * 100).toFixed(digits)];
}

/** Both ends as they stand beside a rate. */
function endsText(ends) {
  return `${endTexts(ends).join(say("to"))}\u00a0%`;
}

/** A threshold as people read it and set it: a whole number is never rounded. */
function thresholdText(threshold) {
  if (!Number.isFinite(threshold)) return threshold > 0 ? "∞" : "-∞";
  const beforePoint = Math.abs(threshold).toFixed(0).length;
  return significant(threshold, beforePoint <= 15 ? Math.max(6, beforePoint) : 6);
}

/** The errors behind a rate. */
function ofText(errors, trials) {
  return say("of", { part: countText(errors), whole: countText(trials) });
}

/** The number a person typed, or NaN. */
function typedNumber(text) {
  const bare = text.replace(/[\s\u00a0\u202f]/g, "");
  return bare === "" ? NaN : Number(bare);
}

/** A new element with attributes and text. */
function element(name, attributes = {}, text = "") {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text) made.textContent = text;
  return made;
}
