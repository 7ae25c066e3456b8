// One system: the errors at each kept threshold, from the most permissive to the strictest.

const SAME = 1e-12; // costs that differ by less are one, and the more permissive threshold is taken

class System {
  constructor(data, index) {
    this.data = data;
    this.index = index;
    this.name = data.name;
    this.sign = data.rule === "distance" ? -1 : 1;
    this.threshold = data.threshold.map(number);
    this.oriented = this.threshold.map((t) => this.sign * t);
    this.size = this.threshold.length;
  }

  /** Errors and rates at a row; FAR and FRR count failed comparisons as attempts that were not accepted. */
  at(row) {
    const { false_match, false_nonmatch, n_mated, n_nonmated, failed_mated, failed_nonmated } = this.data;
    const [matched, missed] = [false_match[row], false_nonmatch[row]];
    return {
      row,
      threshold: this.threshold[row],
      matched,
      missed,
      found: n_mated - missed,
      matchedRate: matched / n_nonmated,
      missedRate: missed / n_mated,
      far: matched / (n_nonmated + failed_nonmated),
      frr: (missed + failed_mated) / (n_mated + failed_mated),
      precision: (n_mated - missed) / (n_mated - missed + matched),
    };
  }

  /** The threshold of a row in words; the last one rejects everything. */
  textAt(row) {
    return row === this.size - 1 ? say("rejects_all") : thresholdText(this.threshold[row]);
  }

  /** The first row at least as strict as an oriented threshold. */
  rowFrom(oriented) {
    return this.first((row) => this.oriented[row] >= oriented);
  }

  /** Are the counts of the first row that is as strict those at this very threshold? */
  knows(row, threshold) {
    const { whole, false_match, false_nonmatch, n_nonmated } = this.data;
    const [matched, missed] = row > 0 ? [false_match[row - 1], false_nonmatch[row - 1]] : [n_nonmated, 0];
    const alike = false_match[row] === matched && false_nonmatch[row] === missed; // as at the row before, or all accepted
    return whole || alike || this.threshold[row] === threshold;
  }

  /** The most permissive row whose rate of false matches is at most this. */
  rowWithin(rate) {
    return this.first((row) => this.data.false_match[row] / this.data.n_nonmated <= rate);
  }

  /** The row whose threshold is nearest; infinite ones are never near. */
  rowNear(threshold) {
    const after = this.rowFrom(this.sign * threshold);
    const before = Math.max(after - 1, 0);
    const gap = (row) => Math.abs(this.threshold[row] - threshold);
    return gap(before) <= gap(after) ? before : after;
  }

  /** The first row that keeps a promise all later rows keep too. */
  first(keeps) {
    let [low, high] = [0, this.size - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (keeps(middle)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** The row at which a day costs least, and what it costs at each row. */
  costs(use) {
    const each = this.threshold.map((_, row) => day(this.at(row), use).cost);
    return { each, row: each.reduce((best, cost, row) => (cost < each[best] - SAME * Math.abs(each[best]) ? row : best), 0) };
  }

  /** Thresholds grow to the right of the slider, whatever the rule. */
  position(row) {
    return this.sign > 0 ? row : this.size - 1 - row;
  }

  rowAt(position) {
    return this.position(position);
  }

  mark(name) {
    return this.data.marks.find((mark) => mark.name === name);
  }
}

/** What errors mean in a day of verification or classification. */
function day(errors, use) {
  const accepts = errors.far * use.impostor;
  const rejects = errors.frr * use.genuine;
  return { matched: accepts, missed: rejects, cost: use.cost_accept * accepts + use.cost_reject * rejects };
}

/** What a watch list means in a day. */
function watchDay(errors, use) {
  const alarms = errors.matchedRate * use.passers * (1 - use.on_list);
  return {
    matched: alarms,
    hours: (alarms * use.minutes) / 60,
    missed: errors.missedRate * use.passers * use.on_list,
  };
}
