// One chart on the page: axes, lines and areas as SVG, a reading under the pointer, and a place to drag.

const SVG = "http://www.w3.org/2000/svg";
const MARGIN = { left: 66, right: 14, top: 10, bottom: 46 };
const NAMED_MARGIN = { ...MARGIN, left: 14 }; // names stand in the rows and not beside them
const ROW = 42; // height of a row that has a name
const ABOVE = 10; // between a name and what it names
const LETTER = 6.6; // width of a letter of a tick's label
const EDGE = 4; // free to the left and to the right of the name of an axis
const GUIDE = -1; // the style of a line that belongs to nobody and is not read out
let clips = 0; // names of clipping areas must differ within the page

class Plot {
  constructor(host, summary) {
    this.host = host;
    this.svg = this.make("svg", { role: "img", "aria-label": summary }, host);
    this.tip = host.appendChild(element("div", { class: "tip", "aria-hidden": "true" }));
    this.tip.hidden = true;
    this.readings = null;
    this.dragging = false;
    this.svg.addEventListener("pointermove", (event) => this.moved(event));
    this.svg.addEventListener("pointerleave", () => this.quiet());
  }

  make(name, attributes, parent) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    parent.append(made);
    return made;
  }

  /** Draw the frame anew; lines are added afterwards. */
  frame(x, y, labels) {
    const width = Math.max(this.host.clientWidth, 240);
    const named = y.kind === "names";
    const margin = named ? NAMED_MARGIN : MARGIN;
    const rows = margin.top + margin.bottom + ROW * y.ticks.length;
    const height = named ? rows : Math.round(Math.min(Math.max(width * 0.72, 240), 400));
    Object.assign(this, { x, y, width, height, margin });
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.setAttribute("height", height);
    this.svg.replaceChildren();
    this.inner = { width: width - margin.left - margin.right, height: height - margin.top - margin.bottom };
    this.clip = this.clipped();
    this.grid(labels);
    this.data = this.make("g", { "clip-path": `url(#${this.clip})` }, this.svg);
    this.marks = this.make("g", { class: "marks" }, this.svg);
    this.pointer = this.make("g", { class: "pointer" }, this.svg);
  }

  clipped() {
    clips += 1;
    const path = this.make("clipPath", { id: `clip-${clips}` }, this.make("defs", {}, this.svg));
    this.make("rect", { x: this.margin.left, y: this.margin.top, ...this.inner }, path);
    return `clip-${clips}`;
  }

  px(place) {
    return this.margin.left + this.x.at(place) * this.inner.width;
  }

  py(place) {
    return this.margin.top + (1 - this.y.at(place)) * this.inner.height;
  }

  grid(labels) {
    const { left, top } = this.margin;
    const [right, bottom] = [left + this.inner.width, top + this.inner.height];
    const axes = this.make("g", { class: "axes", "aria-hidden": "true" }, this.svg);
    const chosen = this.x.kind === "linear" ? evenly : apart;
    for (const tick of chosen(this.x.ticks, (t) => this.px(t.place), (t) => t.label.length * LETTER + 10)) {
      const at = this.px(tick.place);
      this.make("path", { class: "grid", d: `M${at} ${top}V${bottom}` }, axes);
      this.text(tick.label, { x: at, y: bottom + 16, "text-anchor": "middle" }, axes);
    }
    for (const tick of apart(this.y.ticks, (t) => this.py(t.place), () => 17)) {
      const at = this.py(tick.place);
      if (this.y.kind === "names") {
        const row = { x: left + 6, y: at - ABOVE, "clip-path": `url(#${this.clip})`, class: "row" };
        this.squeeze(this.text(tick.label, row, axes), this.inner.width - 6);
        continue;
      }
      this.make("path", { class: "grid", d: `M${left} ${at}H${right}` }, axes);
      this.text(tick.label, { x: left - 6, y: at + 4, "text-anchor": "end" }, axes);
    }
    this.make("path", { class: "edge", d: `M${left} ${top}V${bottom}H${right}` }, axes);
    const along = { x: (left + right) / 2, y: this.height - 8, "text-anchor": "middle", class: "name" };
    const name = this.text(fitting(labels.x, this.inner.width), along, axes);
    if (name.getComputedTextLength() > this.inner.width) name.setAttribute("x", this.width / 2);
    this.squeeze(name, this.width - 2 * EDGE);
    const middle = (top + bottom) / 2;
    const upright = { x: 12, y: middle, "text-anchor": "middle", class: "name", transform: `rotate(-90 12 ${middle})` };
    this.squeeze(this.text(fitting(labels.y, this.inner.height), upright, axes), this.inner.height + 2 * EDGE);
  }

  text(words, attributes, parent) {
    const made = this.make("text", attributes, parent);
    made.textContent = words;
    return made;
  }

  /** Write a long name in smaller letters, so that nothing is cut off. */
  squeeze(name, room) {
    const long = name.getComputedTextLength();
    if (long > room) name.style.fontSize = `${(parseFloat(getComputedStyle(name).fontSize) * room) / long}px`;
  }

  /** A line through places on the axes; `steps` moves along y first and then along x. */
  line(xs, ys, style, { steps = false, into = this.data } = {}) {
    return this.make("path", { class: `line ${style}`, d: pathOf(this.pixels(xs, ys), steps) }, into);
  }

  /** The area between two lines over the same places; where one is not known there is none. */
  area(xs, lows, highs, style) {
    const known = [...xs.keys()].filter((i) => Number.isFinite(lows[i]) && Number.isFinite(highs[i]));
    const upper = known.map((i) => [this.px(xs[i]), this.py(highs[i])]);
    const lower = known.map((i) => [this.px(xs[i]), this.py(lows[i])]).reverse();
    return this.make("path", { class: `band ${style}`, d: `${pathOf([...upper, ...lower])}Z` }, this.data);
  }

  pixels(xs, ys) {
    return xs.map((x, i) => [this.px(x), this.py(ys[i])]);
  }

  dot(x, y, style, into = this.data, radius = 4) {
    return this.make("circle", { class: `dot ${style}`, cx: this.px(x), cy: this.py(y), r: radius }, into);
  }

  /** Dotted line across the chart with a word beside it; a word on an upright line stands at its top or its foot. */
  rule(axis, place, words, { high = false } = {}) {
    const at = axis === "x" ? this.px(place) : this.py(place);
    const { left, top } = this.margin;
    const bottom = top + this.inner.height;
    const d = axis === "x" ? `M${at} ${top}V${bottom}` : `M${left} ${at}H${left + this.inner.width}`;
    this.make("path", { class: "floor", d }, this.data);
    const where = axis === "x" ? { x: at + 4, y: high ? top + 11 : bottom - 6 } : { x: left + 4, y: at - 4 };
    this.text(words, { class: "floor-words", ...where }, this.data);
  }

  /** Ask `read(px, py)` what stands under the pointer; it answers {x, y, lines} in pixels, or nothing. */
  reading(read) {
    this.readings = read;
  }

  /** Call `move(px, py)` while a person drags inside the chart, and `done` afterwards. */
  draggable(move, done) {
    this.svg.classList.add("draggable");
    this.svg.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      this.dragging = true;
      this.svg.setPointerCapture(event.pointerId);
      this.quiet();
      move(...this.place(event));
      event.preventDefault();
    });
    this.svg.addEventListener("pointermove", (event) => {
      if (this.dragging) move(...this.place(event));
    });
    for (const end of ["pointerup", "pointercancel"]) {
      this.svg.addEventListener(end, () => {
        if (this.dragging) done();
        this.dragging = false;
      });
    }
  }

  /** The pointer in the units of the drawing. */
  place(event) {
    const box = this.svg.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    return [(x * this.width) / box.width, (y * this.height) / box.height];
  }

  moved(event) {
    if (this.dragging || !this.readings) return;
    const found = this.readings(...this.place(event));
    this.quiet();
    if (!found) return;
    this.make("circle", { cx: found.x, cy: found.y, r: 5 }, this.pointer);
    this.tip.replaceChildren(...found.lines.map((words) => element("div", {}, words)));
    this.tip.hidden = false;
    const left = Math.min(Math.max(found.x - this.tip.offsetWidth / 2, 4), this.width - this.tip.offsetWidth - 4);
    const above = found.y - this.tip.offsetHeight - 12;
    this.tip.style.left = `${left}px`;
    this.tip.style.top = `${above > 0 ? above : found.y + 14}px`;
  }

  quiet() {
    this.pointer?.replaceChildren();
    this.tip.hidden = true;
  }
}

/** The first of the names that fits along an axis: a long one, then a short one. */
function fitting(names, room) {
  return names.find((name) => name.length * LETTER <= room) ?? names[names.length - 1];
}

/** Ticks with room for their labels, the first ones kept. */
function apart(ticks, at, room) {
  const kept = [];
  for (const tick of ticks) {
    const near = kept.some((other) => Math.abs(at(other) - at(tick)) < (room(other) + room(tick)) / 2);
    if (!near) kept.push(tick);
  }
  return kept;
}

/** Of ticks at equal steps every one, or every second, or third: the first choice in which all labels have room. */
function evenly(ticks, at, room) {
  for (let step = 1; ; step += 1) {
    const kept = ticks.filter((_, i) => i % step === 0);
    if (apart(kept, at, room).length === kept.length) return kept;
  }
}

/** The d of a path through pixels; points that fall on their forerunner are left out. */
function pathOf(pixels, steps = false) {
  const parts = [];
  let [lastX, lastY] = [NaN, NaN];
  for (const [px, py] of pixels) {
    if (!Number.isFinite(px) || !Number.isFinite(py)) continue;
    const [x, y] = [Math.round(px * 10) / 10, Math.round(py * 10) / 10];
    if (x === lastX && y === lastY) continue;
    if (!parts.length) parts.push(`M${x} ${y}`);
    else if (steps) parts.push(y === lastY ? "" : `V${y}`, x === lastX ? "" : `H${x}`);
    else parts.push(`L${x} ${y}`);
    [lastX, lastY] = [x, y];
  }
  return parts.join("");
}

/** The place of the pixel nearest to a point; -1 where there is none. */
function nearest(pixels, x, y) {
  let [best, least] = [-1, Infinity];
  pixels.forEach(([px, py], i) => {
    const distance = (px - x) ** 2 + (py - y) ** 2;
    if (distance < least) [best, least] = [i, distance];
  });
  return best;
}

/** Classes of a system's line: colours first, then dashes. */
function styleOf(index) {
  if (index < 0) return index === GUIDE ? "guide" : "backdrop";
  return `style-${index % 7} dash-${Math.floor(index / 7) % 4}`;
}
