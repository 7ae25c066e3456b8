// The part of the page that moves: one threshold for all charts and numbers.

const explorers = [];

class Explorer {
  constructor(root, data) {
    this.root = root;
    this.data = data;
    this.systems = data.systems.map((system, index) => new System(system, index));
    this.visible = new Set(this.systems);
    this.lead = this.systems[0];
    this.use = { ...data.use };
    this.follow = "rate";
    this.exact = null; // a threshold that was typed
    this.curve = this.checked("curve");
    this.axes = this.checked("axes");
    this.slider = root.querySelector(".slider");
    root.hidden = false;
    const views = { trade: TradeView, rates: RatesView, scores: ScoresView, cost: CostView };
    this.views = Object.entries(views)
      .filter(([part]) => root.querySelector(`[data-part="${part}"]`))
      .map(([part, Kind]) => new Kind(this, part));
    this.wire();
    this.lists();
    const first = explorers.find((other) => this.linked(other)); // those that come later follow the first
    this.setLead(this.lead, first ? this.alike(first) : (this.lead.data.marks[0]?.row ?? this.lead.size >> 1));
    explorers.push(this);
  }

  word(name) {
    return this.data.words[name];
  }

  get shown() {
    return this.systems.filter((system) => this.visible.has(system));
  }

  /** The errors of the leading system where the handle stands, or at the threshold that was typed. */
  get errors() {
    return { ...this.lead.at(this.row), threshold: this.exact ?? this.lead.threshold[this.row] };
  }

  /** The threshold of a system at a row in words; the one that was typed where its counts are those of the row. */
  textAt(system, row) {
    const typed = this.exact !== null && (system === this.lead || this.follow === "threshold");
    return typed && system.knows(row, this.exact) ? String(this.exact) : system.textAt(row);
  }

  /** Where another system stands: at the same rate or less, or at the same threshold. */
  rowOf(system) {
    if (system === this.lead) return this.row;
    if (this.follow === "rate") return system.rowWithin(this.errors.matchedRate);
    return system.rowFrom(system.sign * this.errors.threshold);
  }

  checked(name) {
    return this.root.querySelector(`.${name} input:checked`).value;
  }

  wire() {
    const { root } = this;
    this.slider.addEventListener("input", () => this.goTo(this.lead.rowAt(Number(this.slider.value))));
    for (const name of ["curve", "axes"]) {
      root.querySelector(`.${name}`).addEventListener("change", () => {
        this[name] = this.checked(name);
        this.drawAll();
      });
    }
    root.querySelector(".exact").addEventListener("change", (event) => this.typedThreshold(event.target));
    for (const input of root.querySelectorAll("[data-use]")) {
      input.value = String(this.use[input.dataset.use]);
      input.addEventListener("input", () => this.typedUse(input));
    }
    for (const box of root.querySelectorAll("[data-system]")) {
      box.addEventListener("change", () => this.choose(this.systems[Number(box.dataset.system)], box.checked));
    }
    root.querySelector(".lead-system")?.addEventListener("change", (event) => {
      const system = this.systems[Number(event.target.value)];
      this.setLead(system, this.rowOf(system));
    });
    root.querySelector(".follow")?.addEventListener("change", (event) => {
      this.follow = event.target.value;
      this.moveAll();
    });
  }

  /** Buttons that jump to named points. */
  lists() {
    const group = this.root.querySelector(".points");
    const names = [...new Set(this.systems.flatMap((system) => system.data.marks.map((mark) => mark.name)))];
    for (const name of names) {
      const button = element("button", { type: "button", class: "point", "data-point": name }, name);
      button.addEventListener("click", () => {
        const mark = this.lead.mark(name);
        if (mark) this.goTo(mark.row);
      });
      group.append(button);
    }
    if (this.root.querySelector('[data-part="cost"]')) {
      const words = this.root.querySelector(".points").dataset.cheapest;
      const button = element("button", { type: "button", class: "point", "data-point": "cheapest" }, words);
      button.addEventListener("click", () => this.goTo(this.lead.costs(this.use).row));
      group.append(button);
    }
  }

  setLead(system, row) {
    this.lead = system;
    this.visible.add(system);
    const chosen = this.root.querySelector(".lead-system");
    if (chosen) chosen.value = String(system.index);
    const box = this.root.querySelector(`[data-system="${system.index}"]`);
    if (box) box.checked = true;
    this.slider.max = String(system.size - 1);
    this.row = row;
    this.exact = null;
    this.drawAll();
    this.tellOthers();
  }

  choose(system, wanted) {
    if (wanted) this.visible.add(system);
    else this.visible.delete(system);
    if (!this.visible.size) this.visible.add(system);
    const box = this.root.querySelector(`[data-system="${system.index}"]`);
    box.checked = this.visible.has(system);
    if (this.visible.has(this.lead)) this.drawAll();
    else this.setLead(this.shown[0], this.rowOf(this.shown[0]));
  }

  goTo(row, exact = null) {
    if (row < 0 || (row === this.row && exact === this.exact)) return;
    this.row = row;
    this.exact = exact;
    this.moveAll();
    this.tellOthers();
  }

  /** Do thresholds mean the same there? */
  linked(other) {
    return other !== this && this.data.link !== "" && other.data.link === this.data.link;
  }

  /** The row at the threshold of another explorer. */
  alike(other) {
    return this.lead.rowFrom(this.lead.sign * other.errors.threshold);
  }

  /** Explorers whose thresholds mean the same move along. */
  tellOthers() {
    if (!explorers.includes(this)) return;
    for (const other of explorers.filter((one) => this.linked(one))) {
      other.row = other.alike(this);
      other.exact = this.exact !== null && other.lead.knows(other.row, this.exact) ? this.exact : null;
      other.moveAll();
    }
  }

  typedThreshold(input) {
    const typed = typedNumber(input.value);
    const fault = Number.isNaN(typed) ? say("bad_threshold") : "";
    input.setAttribute("aria-invalid", String(Boolean(fault)));
    if (fault) {
      this.root.querySelector(".kept").textContent = fault;
      return;
    }
    const row = this.lead.rowFrom(this.lead.sign * typed);
    const known = this.lead.knows(row, typed);
    this.goTo(row, known && this.lead.threshold[row] !== typed ? typed : null);
    this.showThreshold();
    if (!known) this.root.querySelector(".kept").textContent = say("moved", { typed });
  }

  typedUse(input) {
    const name = input.dataset.use;
    const value = typedNumber(input.value);
    const fine = value >= 0 && value < Infinity && (name !== "on_list" || value <= 1);
    input.setAttribute("aria-invalid", String(!fine));
    const fault = this.root.querySelector(`#${this.data.id}-${name}-fault`);
    fault.textContent = fine ? "" : say(name === "on_list" ? "bad_share" : "bad_number");
    this.use[name] = fine ? value : NaN;
    this.root.classList.remove("assumed"); // from now on it is the reader's own, for paper too
    this.drawAll();
  }

  drawAll() {
    for (const view of this.views) view.draw();
    this.moveAll();
  }

  moveAll() {
    for (const view of this.views) view.move();
    this.slider.value = String(this.lead.position(this.row));
    this.showThreshold();
    this.showNumbers();
    this.showTable();
    for (const button of this.root.querySelectorAll("[data-point]")) {
      const mark = this.lead.mark(button.dataset.point);
      button.setAttribute("aria-pressed", String(mark?.row === this.row && this.exact === null));
      button.disabled = !mark && button.dataset.point !== "cheapest";
    }
  }

  showThreshold() {
    const { lead, errors } = this;
    const text = this.textAt(lead, errors.row);
    const output = this.root.querySelector(".threshold");
    output.textContent = text;
    output.dataset.value = String(errors.threshold);
    this.root.querySelector(".exact").value = String(errors.threshold);
    const kind = this.exact !== null ? "exact" : lead.data.whole ? "whole" : "kept";
    this.root.querySelector(".kept").textContent = say(kind, { n: countText(lead.size) });
    const [matched, missed] = this.bothRates(lead, errors);
    const names = { matched: this.word("matched"), missed: this.word("missed") };
    this.root.querySelector(".brief").textContent = `${names.matched} ${matched} · ${names.missed} ${missed}`;
    const spoken = say("reading", { threshold: text, matched_rate: matched, missed_rate: missed, ...names });
    this.slider.setAttribute("aria-valuetext", spoken);
  }

  bothRates(system, errors) {
    const { n_mated, n_nonmated, level } = system.data;
    return [rateText(errors.matched, n_nonmated, level), rateText(errors.missed, n_mated, level)];
  }

  /** What is read out of a system at a row. */
  readingOf(system, row) {
    const errors = system.at(row);
    const [matched, missed] = this.bothRates(system, errors);
    const { n_mated, n_nonmated } = system.data;
    return [
      `t = ${system.textAt(row)}`,
      `${this.word("matched")} ${matched}, ${ofText(errors.matched, n_nonmated)}`,
      `${this.word("missed")} ${missed}, ${ofText(errors.missed, n_mated)}`,
    ];
  }

  /** The live numbers of a system: name, exact value, text, and of a rate what it is a share of. */
  numbersOf(system) {
    const errors = system.at(this.rowOf(system));
    const { n_mated, n_nonmated, level } = system.data;
    const [matched, missed] = this.bothRates(system, errors);
    const rates = [
      ["matched", errors.matchedRate, matched, errors.matched, n_nonmated],
      ["missed", errors.missedRate, missed, errors.missed, n_mated],
    ];
    if (this.data.mode !== "verification") {
      const found = errors.found / n_mated;
      rates.push(["found", found, shareText(errors.found, n_mated, level), errors.found, n_mated]);
    }
    if (this.data.mode === "classification") {
      const called = errors.found + errors.matched;
      rates.push(["precision", errors.precision, shareText(errors.found, called, level), errors.found, called]);
    }
    const watched = this.data.mode === "identification";
    const load = watched ? watchDay(errors, this.use) : day(errors, this.use);
    const daily = watched ? ["matched", "hours", "missed"] : ["matched", "missed", "cost"];
    const named = { matched: "day_matched", missed: "day_missed", hours: "hours", cost: "cost" };
    return [...rates, ...daily.map((kind) => [named[kind], load[kind], amountText(load[kind])])];
  }

  showNumbers() {
    const { level, shared } = this.lead.data;
    const items = this.numbersOf(this.lead).map(([name, value, text, part, whole]) => {
      const item = element("div", { "data-number": name, "data-value": String(value) });
      item.append(element("dt", {}, this.word(name)), element("dd", {}, text));
      if (whole !== undefined) item.append(element("dd", { class: "behind" }, ofText(part, whole)));
      if (level && whole) {
        const ends = clopperPearson(part, whole, level);
        item.append(element("dd", { class: "behind ends", "data-ends": ends.join(" ") }, endsText(ends)));
      }
      return item;
    });
    this.root.querySelector(".numbers").replaceChildren(...items);
    const percent = significant((level ?? 0) * 100, 6);
    const words = level ? say("independent", { level: percent }) : shared ? say("shared") : "";
    this.root.querySelector(".how-sure").textContent = words;
  }

  /** The same for all chosen systems, side by side. */
  showTable() {
    const table = this.root.querySelector(".live-table");
    if (!table) return;
    const head = element("tr");
    head.append(element("th", { scope: "col" }, say("system")));
    head.append(element("th", { scope: "col", class: "number" }, say("threshold")));
    for (const [kind] of this.numbersOf(this.lead)) {
      head.append(element("th", { scope: "col", class: "number", "data-live": kind }, this.word(kind)));
    }
    table.tHead.replaceChildren(head);
    const rows = this.shown.map((system) => {
      const row = element("tr", { "data-row": system.index, class: system === this.lead ? "leads" : "" });
      row.append(element("th", { scope: "row" }, system.name));
      const here = this.rowOf(system);
      const cell = { class: "number", "data-value": String(system.threshold[here]) };
      row.append(element("td", cell, this.textAt(system, here)));
      for (const [name, value, text] of this.numbersOf(system)) {
        row.append(element("td", { class: "number", "data-live": name, "data-value": String(value) }, text));
      }
      return row;
    });
    table.tBodies[0].replaceChildren(...rows);
  }
}
