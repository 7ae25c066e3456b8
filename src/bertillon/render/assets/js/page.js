// Bring the page to life: theme, tables, charts, the threshold, and the data to take away.

function download(name, text, type) {
  const link = element("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** Every kept threshold of every system, one a line. */
function curvesText() {
  const rows = [["mode", "system", "threshold", "false_matches", "false_nonmatches", "fmr", "fnmr"].join(",")];
  for (const explorer of explorers) {
    for (const system of explorer.systems) {
      system.threshold.forEach((threshold, row) => {
        const errors = system.at(row);
        const cells = [threshold, errors.matched, errors.missed, errors.matchedRate, errors.missedRate];
        rows.push([explorer.data.mode, csvField(system.name), ...cells].join(","));
      });
    }
  }
  return rows.join("\n") + "\n";
}

function startTheme() {
  const themes = ["auto", "light", "dark"];
  const button = document.getElementById("theme");
  const show = () => {
    button.querySelector("span").textContent = say(`theme.${document.documentElement.dataset.theme}`);
  };
  button.hidden = false;
  button.addEventListener("click", () => {
    const next = (themes.indexOf(document.documentElement.dataset.theme) + 1) % themes.length;
    document.documentElement.dataset.theme = themes[next];
    show();
  });
  show();
}

function startTables() {
  for (const block of document.querySelectorAll(".table")) {
    const table = block.querySelector("table");
    if (!table.classList.contains("matrix")) new Sorter(table);
    block.querySelector(".copy").hidden = false;
    for (const button of block.querySelectorAll("[data-copy]")) {
      button.addEventListener("click", () => copy(COPIES[button.dataset.copy](table), button.dataset.copy));
    }
  }
  const box = document.getElementById("copy-box");
  box.querySelector("button").addEventListener("click", () => box.close());
}

startTheme();
startTables();
for (const chart of page.charts) new StillChart(document.getElementById(`chart-${chart.id}`), chart);
for (const data of page.explorers) new Explorer(document.getElementById(`explore-${data.id}`), data);
document.getElementById("download-json").addEventListener("click", () => {
  download("bertillon-report.json", JSON.stringify(page, null, 1), "application/json");
});
document.getElementById("download-csv").addEventListener("click", () => {
  download("bertillon-curves.csv", curvesText(), "text/csv");
});
if (!explorers.length) document.getElementById("download-csv").hidden = true;
document.documentElement.dataset.ready = "true";
