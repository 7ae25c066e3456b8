// Tables that can be sorted and copied.

/** The text of a cell without its note, its exact value, and its note. */
function cellOf(cell) {
  const note = cell.querySelector("small");
  const parts = [...cell.childNodes].filter((node) => node !== note);
  const text = parts.map((node) => node.textContent).join("").trim();
  return { text, value: cell.dataset.value ?? text, note: note ? note.textContent.trim() : "" };
}

function rowsOf(table) {
  return [...table.rows].map((row) => [...row.cells].map(cellOf));
}

const COPIES = { CSV: csvOf, Markdown: markdownOf, LaTeX: latexOf };

function csvField(text) {
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Exact values, for programs. */
function csvOf(table) {
  return rowsOf(table).map((row) => row.map((cell) => csvField(cell.value)).join(",")).join("\n") + "\n";
}

function withNote(cell) {
  return cell.note ? `${cell.text} (${cell.note})` : cell.text;
}

function markdownOf(table) {
  const [head, ...body] = rowsOf(table).map((row) => row.map((cell) => withNote(cell).replaceAll("|", "\\|")));
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const rule = [...table.rows[0].cells].map((cell) => (cell.classList.contains("number") ? "---:" : "---"));
  return [line(head), line(rule), ...body.map(line)].join("\n") + "\n";
}

const LATEX = {
  "\\": "\\textbackslash{}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
  "<": "\\textless{}",
  ">": "\\textgreater{}",
  "\u00a0": "~",
};

function latexText(text) {
  return text.replace(/[\\~^<>&%$#_{}\u00a0]/g, (sign) => LATEX[sign] ?? `\\${sign}`);
}

/** A booktabs table; notes stay behind, they belong to the text. */
function latexOf(table) {
  const columns = [...table.rows[0].cells].map((cell) => (cell.classList.contains("number") ? "r" : "l")).join("");
  const [head, ...body] = rowsOf(table).map((row) => `${row.map((cell) => latexText(cell.text)).join(" & ")} \\\\`);
  const caption = latexText(table.closest(".table").querySelector(".caption").textContent);
  return [
    "\\begin{table}",
    `\\caption{${caption}}`,
    `\\begin{tabular}{${columns}}`,
    "\\toprule",
    head,
    "\\midrule",
    ...body,
    "\\bottomrule",
    "\\end{tabular}",
    "\\end{table}",
    "",
  ].join("\n");
}

/** Put text on the clipboard, or show it in a box to copy by hand. */
async function copy(text, format) {
  try {
    await navigator.clipboard.writeText(text);
    announce(say("copied", { format }));
  } catch {
    const box = document.getElementById("copy-box");
    const area = box.querySelector("textarea");
    area.value = text;
    box.showModal();
    area.select();
  }
}

function announce(words) {
  const status = document.getElementById("status");
  status.textContent = words;
  status.classList.add("seen");
  clearTimeout(announce.timer);
  announce.timer = setTimeout(() => status.classList.remove("seen"), 2500);
}

/** Sort by a column: up, down, and back to the order of the report. */
class Sorter {
  constructor(table) {
    this.table = table;
    this.original = [...table.tBodies[0].rows];
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      if (!head.textContent.trim()) return;
      const button = element("button", { type: "button", class: "sort" }, head.textContent);
      button.addEventListener("click", () => this.sort(head, column));
      head.replaceChildren(button);
    });
  }

  sort(head, column) {
    const next = { ascending: "descending", descending: null }[head.getAttribute("aria-sort")];
    const order = next === undefined ? "ascending" : next;
    for (const other of this.table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    if (order) head.setAttribute("aria-sort", order);
    const rows = order ? this.sorted(column, order === "ascending" ? 1 : -1) : this.original;
    this.table.tBodies[0].replaceChildren(...rows);
    announce(order ? say("sorted", { column: head.textContent }) : say("unsorted"));
  }

  /** Numbers by size, words by the alphabet, and what has no value last either way. */
  sorted(column, sign) {
    const keyed = this.original.map((row) => ({ row, key: row.cells[column].dataset.value ?? "" }));
    const numbers = keyed.every(({ key }) => /^(|nan|-?inf)$/.test(key) || !Number.isNaN(Number(key)));
    const value = ({ key }) => (numbers ? Number(key.replace(/^$/, "nan").replace("inf", "Infinity")) : key);
    const missing = (one) => (numbers ? Number.isNaN(value(one)) : value(one) === "");
    return keyed
      .sort((a, b) => {
        if (missing(a) || missing(b)) return missing(a) - missing(b);
        return sign * (numbers ? value(a) - value(b) : value(a).localeCompare(value(b), page.lang));
      })
      .map(({ row }) => row);
  }
}
