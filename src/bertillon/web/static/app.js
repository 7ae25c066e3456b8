"use strict";
// The token lives in this variable alone: a reload, or leaving, forgets it. All text is set as text, never as HTML.
let token = "";
let always = []; // warnings of the policy, beside those of an answer
const at = (id) => document.getElementById(id);
const word = (name) => document.body.dataset[name];
const lang = document.documentElement.lang;
const number = (value) => (value === null ? "–" : value.toLocaleString(lang, { maximumSignificantDigits: 5 }));
const percent = (value) => `${(100 * value).toLocaleString(lang, { maximumSignificantDigits: 3 })}\u00a0%`;
const sign = (rule) => (rule === "distance" ? "≤" : "≥");
const element = (name, text) => Object.assign(document.createElement(name), { textContent: text });

async function ask(path, options = {}) {
  const headers = { ...options.headers, Authorization: `Bearer ${token}` };
  const response = await fetch(path, { ...options, headers, credentials: "omit", redirect: "error" }).catch(() => {
    throw new Error(word("offline"));
  });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw Object.assign(new Error(answer.error || String(response.status)), { status: response.status });
  return answer;
}

function fill(list, rows) {
  list.replaceChildren(...rows.flatMap(([name, value]) => [element("dt", name), element("dd", value)]));
}

function showWarnings(warnings) {
  at("warnings").replaceChildren(...[...new Set([...always, ...warnings])].map((text) => element("li", text)));
}

function showPolicy(about) {
  at("about").textContent = `${word("people")}: ${about.people.toLocaleString(lang)}`;
  const policy = about.policies.identification;
  if (!policy) return;
  const rates = Object.entries(policy.rates).map(([name, rate]) => {
    const ends = `${percent(rate.low)} – ${percent(rate.high)}`;
    return [name, `${percent(rate.value)} (${percent(rate.level)} ${word("interval")}: ${ends})`];
  });
  fill(at("policy"), [
    [word("policy"), `${policy.at} · ${policy.id} · ${policy.made.slice(0, 10)}`],
    [word("threshold"), `${policy.matcher} ${sign(policy.rule)}\u00a0${number(policy.threshold)}`],
    [word("measured"), policy.gallery_size === null ? "–" : policy.gallery_size.toLocaleString(lang)],
    ...rates,
  ]);
  always = policy.warnings;
  showWarnings([]);
}

function reliability(found) {
  if (found.reliable === null) return `${word("unknown")} (${found.reason})`;
  return `${found.reliable ? word("reliable") : word("unreliable")} (SRR ${number(found.srr)})`;
}

function showAnswer(answer) {
  const known = answer.person !== null;
  at("decision").textContent = known ? `${word("identified")}: ${answer.person}` : word("notInGallery");
  at("decision").className = known ? "found" : "none";
  const facts = [
    [word("threshold"), `${sign(answer.rule)}\u00a0${number(answer.threshold)}`],
    [word("reliability"), reliability(answer.reliability)],
    [word("policy"), answer.policy],
    [word("line"), String(answer.line)],
  ];
  if (answer.photo && answer.photo.faces > 1) facts.push([word("warning"), `${word("faces")}: ${answer.photo.faces}`]);
  fill(at("facts"), facts);
  at("candidates").replaceChildren(...answer.candidates.map((one) => {
    const row = document.createElement("tr");
    const passes = one.passes ? word("yes") : word("no");
    const cells = [String(one.rank), one.person, number(one.score), number(one.margin), passes];
    row.append(...cells.map((text) => element("td", text)));
    return row;
  }));
  showWarnings(answer.warnings);
  at("answer").hidden = false;
}

function showPhoto(file) {
  if (at("photo").src) URL.revokeObjectURL(at("photo").src);
  at("photo").hidden = file === null;
  if (file === null) at("photo").removeAttribute("src");
  else at("photo").src = URL.createObjectURL(file);
}

async function search(file) {
  const json = file.name.toLowerCase().endsWith(".json");
  at("answer").hidden = true;
  showPhoto(json ? null : file);
  at("status").className = "";
  at("status").textContent = word("searching");
  try {
    const type = json ? "application/json" : file.type || "image/unknown";
    const options = { method: "POST", body: file, headers: { "Content-Type": type } };
    const answer = await ask(`/v1/identify?lang=${lang}`, options);
    showPolicy(await ask(`/v1/gallery?lang=${lang}`)); // others may have enrolled people, or set another policy
    showAnswer(answer);
    at("status").textContent = "";
  } catch (error) {
    at("status").className = "bad";
    at("status").textContent = `${word("failed")}: ${error.message}`;
    if (error.status === 401) leave();
  }
}

function leave() {
  token = "";
  at("token").value = "";
  at("desk").hidden = true;
  at("entry").hidden = false;
  at("answer").hidden = true;
  showPhoto(null);
  at("token").focus();
}

at("entry").addEventListener("submit", async (event) => {
  event.preventDefault();
  token = at("token").value.trim();
  try {
    const about = await ask(`/v1/gallery?lang=${lang}`);
    if (about.role !== "operator") throw new Error(about.role);
    showPolicy(about);
    at("token").value = "";
    at("entry").hidden = true;
    at("desk").hidden = false;
    at("status").textContent = "";
    at("entry-error").textContent = "";
  } catch (error) {
    token = "";
    at("entry-error").textContent = `${word("refused")} (${error.message})`;
  }
});
at("leave").addEventListener("click", leave);
at("file").addEventListener("change", () => {
  const [file] = at("file").files;
  if (file) search(file);
});
for (const name of ["dragover", "dragleave", "drop"]) {
  at("drop").addEventListener(name, (event) => {
    event.preventDefault();
    at("drop").classList.toggle("over", name === "dragover");
    const [file] = event.dataTransfer.files;
    if (name === "drop" && file) search(file);
  });
}
document.documentElement.dataset.ready = "true";
