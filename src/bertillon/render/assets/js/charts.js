// Charts that stand still: rank curves, calibration, people and groups of them.

class StillChart {
  constructor(figure, chart) {
    this.chart = chart;
    this.plot = new Plot(figure.querySelector(".plot"), `${chart.title}. ${chart.summary}`);
    this.plot.reading((x, y) => this.read(x, y));
    new ResizeObserver(() => this.draw()).observe(this.plot.host);
    this.draw();
  }

  draw() {
    const { x, y, lines } = this.chart;
    const place = (axis) => (axis.scale === "log" ? Math.log10 : (value) => value);
    const [placeX, placeY] = [place(x), place(y)];
    this.plot.frame(stillScale(x), stillScale(y), { x: [x.label], y: [y.names.length ? "" : y.label] });
    this.drawn = lines.map((line) => {
      const [xs, ys] = [line.x.map(placeX), line.y.map(placeY)];
      const style = styleOf(line.style);
      if (line.shade) this.shade(line.shade, style, placeX, placeY);
      if (line.joined) this.plot.line(xs, ys, style);
      line.spans.forEach((ends, i) => ends.length && this.plot.line(ends.map(placeX), [ys[i], ys[i]], style));
      if (line.dots) xs.forEach((at, i) => this.plot.dot(at, ys[i], style, this.plot.data, 3));
      return line.style === GUIDE ? [] : this.plot.pixels(xs, ys);
    });
  }

  /** A band, or where places stand apart a bar at each of them. */
  shade({ x, low, high, apart }, style, placeX, placeY) {
    const [xs, lows, highs] = [x.map(placeX), low.map(placeY), high.map(placeY)];
    if (!apart) this.plot.area(xs, lows, highs, style);
    else xs.forEach((at, i) => this.plot.line([at, at], [lows[i], highs[i]], `${style} bar`));
  }

  read(px, py) {
    const candidates = this.drawn
      .map((pixels, i) => ({ line: this.chart.lines[i], pixels, row: nearest(pixels, px, py) }))
      .filter((one) => one.row >= 0);
    if (!candidates.length) return null;
    const all = candidates.map((one) => one.pixels[one.row]);
    const { line, pixels, row } = candidates[nearest(all, px, py)];
    const { x, y } = this.chart;
    const lines = [line.name, `${x.label}: ${valueText(x, line.x[row])}`, `${y.label}: ${valueText(y, line.y[row])}`];
    if (line.notes.length) lines.push(line.notes[row]);
    return { x: pixels[row][0], y: pixels[row][1], lines };
  }
}

function stillScale(axis) {
  if (axis.names.length) return nameScale(axis.names);
  if (axis.unit === "score") return numberScale(axis.low, axis.high);
  if (axis.unit === "rate") {
    const ticks = linearTicks(axis.low, axis.high, (v) => percentText(v));
    return new Scale("linear", ...padded(axis.low, axis.high), ticks, "rate");
  }
  return axis.scale === "log" ? numberScale(axis.low, axis.high, "log") : wholeScale(axis.low, axis.high);
}

/** A linear axis whose ticks are whole numbers. */
function wholeScale(low, high) {
  const scale = numberScale(low, high);
  scale.ticks = scale.ticks.filter((tick) => Number.isInteger(tick.place));
  return scale;
}

function valueText(axis, value) {
  if (axis.names.length) return axis.names[value];
  return axis.unit === "rate" ? percentText(value) : amountText(value);
}
