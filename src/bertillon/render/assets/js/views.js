// The four charts that share a threshold. `draw` puts up what stands still, `move` what follows the handle.

/** What all views share: the explorer they show, their plot, and when they are drawn. */
class View {
  constructor(explorer, part) {
    this.explorer = explorer;
    this.figure = explorer.root.querySelector(`[data-part="${part}"]`);
    this.caption = this.figure.querySelector("figcaption");
    this.plot = new Plot(this.figure.querySelector(".plot"), "");
    this.plot.reading((x, y) => this.read(x, y));
    this.plot.draggable((x, y) => this.drag(x, y), () => explorer.slider.focus({ preventScroll: true }));
    new ResizeObserver(() => this.redraw()).observe(this.plot.host);
  }

  redraw() {
    this.draw();
    this.move();
  }

  title(words) {
    this.caption.textContent = words;
    this.plot.svg.setAttribute("aria-label", words);
  }

  legend(entries) {
    const items = entries.map(([style, words]) => {
      const item = element("li", { class: style });
      const swatch = this.plot.make("svg", { class: "swatch", viewBox: "0 0 28 10", "aria-hidden": "true" }, item);
      this.plot.make("path", { d: "M1 5H27" }, swatch);
      item.append(words);
      return item;
    });
    this.figure.querySelector(".legend").replaceChildren(...items);
  }

  /** What shades mean, each thing once, after the legend. */
  meaning(words) {
    for (const said of new Set(words.filter(Boolean))) {
      this.figure.querySelector(".legend").append(element("li", { class: "shaded" }, said));
    }
  }
}

/** ROC, DET or precision against recall, one line a system and a dot where it stands. */
class TradeView extends View {
  get kind() {
    return this.explorer.curve === "pr" ? "linear" : this.explorer.axes;
  }

  draw() {
    const { explorer } = this;
    const [x, y] = this.scales();
    const names = { roc: ["matched", "found"], det: ["matched", "missed"], pr: ["found", "precision"] }[explorer.curve];
    this.title(explorer.curve === "pr" ? say("pr_title") : explorer.curve.toUpperCase());
    this.plot.frame(x, y, { x: this.names(names[0]), y: this.names(names[1]) });
    this.guides(x, y);
    this.lines = explorer.shown.map((system) => {
      const rows = [...system.threshold.keys()];
      const places = rows.map((row) => this.places(system, system.at(row)));
      const [xs, ys] = [places.map((place) => place[0]), places.map((place) => place[1])];
      this.shade(system);
      this.plot.line(xs, ys, styleOf(system.index), { steps: true });
      return { system, pixels: this.plot.pixels(xs, ys) };
    });
    this.legend(explorer.systems.length > 1 ? explorer.shown.map((one) => [styleOf(one.index), one.name]) : []);
    this.meaning(explorer.shown.map((system) => this.shadeOf(system)?.words));
  }

  shadeOf(system) {
    return this.explorer.curve === "pr" ? system.data.precision_shade : system.data.shade;
  }

  /** The band of a system's curve; that of a ROC is the other's turned upside down. */
  shade(system) {
    const found = this.shadeOf(system);
    if (!found) return;
    const { n_mated, n_nonmated } = system.data;
    const upward = this.explorer.curve === "roc" ? (rate) => 1 - rate : (rate) => rate;
    const across = found.x.map((rate) => placed(rate, n_nonmated, this.plot.x.kind));
    const ends = [found.low, found.high].map((end) => end.map((rate) => placed(upward(rate), n_mated, this.plot.y.kind)));
    this.plot.area(across, ...ends, styleOf(system.index));
  }

  names(rate) {
    return [this.explorer.word(`${rate}_words`), this.explorer.word(rate)];
  }

  scales() {
    const { curve, shown } = this.explorer;
    const most = (name) => Math.max(...shown.map((system) => system.data[name]), 2);
    if (curve === "pr") return [rateScale("linear", 2), rateScale("linear", 2)];
    if (curve === "roc") {
      const upright = this.kind === "log" ? "linear" : this.kind;
      return [rateScale(this.kind, most("n_nonmated")), rateScale(upright, most("n_mated"))];
    }
    const upper = this.kind !== "log" && shown.every((system) => getsGood(system)) ? 0.5 : 1;
    return [rateScale(this.kind, most("n_nonmated"), upper), rateScale(this.kind, most("n_mated"), upper)];
  }

  /** Where a system's errors lie on both axes. */
  places(system, errors) {
    const { n_mated, n_nonmated } = system.data;
    const [kindX, kindY] = [this.plot.x.kind, this.plot.y.kind];
    if (this.explorer.curve === "pr") return [errors.found / n_mated, errors.precision];
    const upward = this.explorer.curve === "roc" ? errors.found / n_mated : errors.missedRate;
    return [placed(errors.matchedRate, n_nonmated, kindX), placed(upward, n_mated, kindY)];
  }

  guides(x, y) {
    const { curve, lead } = this.explorer;
    if (curve === "pr") {
      const share = lead.data.n_mated / (lead.data.n_mated + lead.data.n_nonmated);
      this.plot.line([0, 1], [share, share], "guide");
      return;
    }
    const rates = Array.from({ length: 200 }, (_, i) => 0.5 * 10 ** (-9 + (9 * i) / 199));
    const equal = [...rates, ...rates.map((rate) => 1 - rate).reverse()];
    const far = 1e12; // so many trials that nothing is moved
    const [xs, ys] = [x.kind, y.kind].map((kind) => equal.map((rate) => placed(rate, far, kind)));
    this.plot.line(xs, ys, "guide"); // both errors equal on a DET, mere chance on a ROC
    const { n_mated, n_nonmated } = lead.data;
    const high = curve === "roc";
    if (x.kind !== "linear") this.plot.rule("x", placed(1 / n_nonmated, far, x.kind), say("floor"), { high });
    if (y.kind !== "linear" && curve === "det") this.plot.rule("y", placed(1 / n_mated, far, y.kind), say("floor"));
  }

  move() {
    this.plot.marks.replaceChildren();
    for (const system of this.explorer.shown) {
      const [x, y] = this.places(system, system.at(this.explorer.rowOf(system)));
      const radius = system === this.explorer.lead ? 7 : 5;
      if (Number.isFinite(y)) this.plot.dot(x, y, `here ${styleOf(system.index)}`, this.plot.marks, radius);
    }
  }

  read(px, py) {
    const near = this.lines.map((line) => ({ ...line, row: nearest(line.pixels, px, py) }));
    const known = near.filter((line) => line.row >= 0);
    if (!known.length) return null;
    const line = known[nearest(known.map((one) => one.pixels[one.row]), px, py)];
    const [x, y] = line.pixels[line.row];
    return { x, y, lines: [line.system.name, ...this.explorer.readingOf(line.system, line.row)] };
  }

  drag(px, py) {
    const line = this.lines.find((one) => one.system === this.explorer.lead);
    if (line) this.explorer.goTo(nearest(line.pixels, px, py));
  }
}

/** A view whose axis is the threshold of the leading system. */
class ThresholdView extends View {
  scaleX() {
    const { edges, linear } = this.explorer.lead.data.distribution;
    return numberScale(edges[0], edges[edges.length - 1], "linear", linear);
  }

  move() {
    const { plot } = this;
    plot.marks.replaceChildren();
    const at = plot.px(this.explorer.errors.threshold);
    const inside = Math.min(Math.max(at, MARGIN.left), MARGIN.left + plot.inner.width);
    const { top } = MARGIN;
    plot.make("path", { class: "handle-line", d: `M${inside} ${top}V${top + plot.inner.height}` }, plot.marks);
    plot.make("circle", { class: "handle-grip", cx: inside, cy: top + 5, r: 6 }, plot.marks);
  }

  /** The leading system's thresholds as places on the axis, infinite ones far beyond its ends. */
  get places() {
    const { low, high } = this.plot.x;
    const far = 100 * (high - low);
    return this.explorer.lead.threshold.map((t) => Math.min(Math.max(t, low - far), high + far));
  }

  rowAt(px) {
    const share = (px - MARGIN.left) / this.plot.inner.width;
    return this.explorer.lead.rowNear(this.plot.x.value(Math.min(Math.max(share, 0), 1)));
  }

  drag(px) {
    this.explorer.goTo(this.rowAt(px));
  }
}

/** Both errors as the threshold moves. */
class RatesView extends ThresholdView {
  draw() {
    const { explorer } = this;
    const { lead } = explorer;
    const trials = Math.max(lead.data.n_mated, lead.data.n_nonmated);
    this.title(`${say("rates_title")}: ${lead.name}`);
    const accepted = say(lead.sign > 0 ? "accept_from" : "accept_to");
    const labels = { x: [`${say("threshold")} t (${accepted})`, "t"], y: [say("rate")] };
    this.plot.frame(this.scaleX(), rateScale(explorer.axes, trials), labels);
    const [matched, missed] = this.rates();
    this.plot.line(this.places, matched, "nonmated", { steps: true });
    this.plot.line(this.places, missed, "mated", { steps: true });
    this.legend([
      ["nonmated", explorer.word("matched")],
      ["mated", explorer.word("missed")],
    ]);
  }

  rates() {
    const { lead, axes } = this.explorer;
    const { n_mated, n_nonmated } = lead.data;
    const rows = lead.threshold.map((_, row) => lead.at(row));
    return [
      rows.map((errors) => placed(errors.matchedRate, n_nonmated, axes)),
      rows.map((errors) => placed(errors.missedRate, n_mated, axes)),
    ];
  }

  read(px) {
    const { lead } = this.explorer;
    const row = this.rowAt(px);
    const y = this.plot.py(placed(lead.at(row).matchedRate, lead.data.n_nonmated, this.plot.y.kind));
    return { x: this.plot.px(lead.threshold[row]), y, lines: this.explorer.readingOf(lead, row) };
  }
}

/** How the scores of both classes are spread; the darker parts are the errors. */
class ScoresView extends ThresholdView {
  draw() {
    const { lead } = this.explorer;
    const { edges, mated, nonmated, n_mated, n_nonmated, notes, linear } = lead.data.distribution;
    const places = edges.map((edge) => bent(edge, linear));
    const usual = (places[places.length - 1] - places[0]) / (places.length - 1);
    const width = (i) => (linear ? (places[i + 1] - places[i]) / usual : 1); // bins of whole numbers differ
    const share = (counts, trials) => counts.map((n, i) => n / (trials || 1) / width(i));
    const shares = { nonmated: share(nonmated, n_nonmated), mated: share(mated, n_mated) };
    const top = Math.max(...shares.mated, ...shares.nonmated, 1e-9) * 1.08;
    const y = new Scale("linear", 0, top, linearTicks(0, top, (v) => percentText(v, 2)), "rate");
    this.title(`${say("scores_title")}: ${lead.name}`);
    this.plot.frame(this.scaleX(), y, { x: [say("score")], y: [say("density")] });
    this.errors = {};
    for (const kind of ["nonmated", "mated"]) {
      const d = this.outline(edges, shares[kind]);
      this.plot.make("path", { class: `area ${kind}`, d }, this.plot.data);
      this.errors[kind] = this.wrong(kind, d);
      this.plot.make("path", { class: `line ${kind}`, d }, this.plot.data);
    }
    this.legend(["mated", "nonmated"].map((kind) => [kind, this.explorer.word(kind)]));
    for (const note of notes) this.figure.querySelector(".legend").append(element("li", {}, note));
  }

  outline(edges, shares) {
    const floor = this.plot.py(0);
    const step = (share, i) => `V${this.plot.py(share).toFixed(1)}H${this.plot.px(edges[i + 1]).toFixed(1)}`;
    const tops = shares.map(step);
    return `M${this.plot.px(edges[0]).toFixed(1)} ${floor}${tops.join("")}V${floor}Z`;
  }

  /** The part of a class on its wrong side of the threshold, cut out by a box that moves. */
  wrong(kind, d) {
    clips += 1;
    const path = this.plot.make("clipPath", { id: `clip-${clips}` }, this.plot.svg.querySelector("defs"));
    const box = this.plot.make("rect", { y: 0, height: this.plot.height }, path);
    this.plot.make("path", { class: `wrong ${kind}`, d, "clip-path": `url(#clip-${clips})` }, this.plot.data);
    return box;
  }

  move() {
    super.move();
    const { lead, errors } = this.explorer;
    const at = Math.min(Math.max(this.plot.px(errors.threshold), 0), this.plot.width);
    const [left, right] = [{ x: 0, width: at }, { x: at, width: this.plot.width - at }];
    const boxes = lead.sign > 0 ? { mated: left, nonmated: right } : { mated: right, nonmated: left };
    for (const [kind, box] of Object.entries(boxes)) {
      for (const [name, value] of Object.entries(box)) this.errors[kind].setAttribute(name, value);
    }
  }

  read(px) {
    const { edges, mated, nonmated } = this.explorer.lead.data.distribution;
    const score = this.plot.x.value((px - MARGIN.left) / this.plot.inner.width);
    const bin = edges.findIndex((edge, i) => edge <= score && score < edges[i + 1]);
    if (bin < 0) return null;
    const [low, high] = [significant(edges[bin], 4), significant(edges[bin + 1], 4)];
    const lines = [["mated", mated], ["nonmated", nonmated]].map(
      ([kind, counts]) => `${this.explorer.word(kind)}: ${countText(counts[bin])}`,
    );
    const x = this.plot.px((edges[bin] + edges[bin + 1]) / 2);
    return { x, y: this.plot.py(0), lines: [`${low} – ${high}`, ...lines] };
  }
}

/** What a day costs as the threshold moves, and where it costs least. */
class CostView extends ThresholdView {
  draw() {
    const { explorer } = this;
    const { lead } = explorer;
    this.found = lead.costs(explorer.use);
    const known = this.found.each.filter((cost) => Number.isFinite(cost));
    const least = this.found.each[this.found.row];
    const top = Math.max(Math.min(Math.max(...known, 0), 12 * least || Infinity), 1e-9) * 1.05;
    this.title(`${say("cost_title")}: ${lead.name}`);
    const y = new Scale("linear", 0, top, linearTicks(0, top, (v) => amountText(v)));
    this.plot.frame(this.scaleX(), y, { x: [say("threshold")], y: [say("cost")] });
    if (!known.length) return;
    this.plot.line(this.places, this.found.each, "cost", { steps: true });
    this.plot.dot(lead.threshold[this.found.row], least, "least", this.plot.data, 5);
  }

  read(px) {
    const row = this.rowAt(px);
    const cost = this.found.each[row];
    if (!Number.isFinite(cost)) return null;
    const { lead } = this.explorer;
    const lines = [`t = ${lead.textAt(row)}`, `${say("cost")}: ${amountText(cost)}`];
    return { x: this.plot.px(lead.threshold[row]), y: Math.max(this.plot.py(cost), MARGIN.top), lines };
  }
}

/** Is there a threshold with both errors low? */
function getsGood(system) {
  return system.threshold.some((_, row) => {
    const errors = system.at(row);
    return Math.max(errors.matchedRate, errors.missedRate) <= 0.4;
  });
}
