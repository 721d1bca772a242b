"use strict";

// The live page. It sends the text while it is written and shows the labels that come back. Everything that is shown
// goes through textContent: texts and names of labels are never markup.

const kPause = 250; // milliseconds without a key before the text is sent
const kMostLabels = 100; // with a threshold
const kWordsShown = 6; // under a label
const kLargestFile = 4 << 20; // bytes
const kInvitation =
  "Labels appear as you write. Point at one or tap it to see the words that the model looked at: a hint at its " +
  "reasons, not a proof.";

const byId = (id) => document.getElementById(id);
const page = {
  text: byId("text"),
  behind: byId("behind"),
  writing: byId("writing"),
  textNote: byId("text-note"),
  clear: byId("clear"),
  open: byId("open"),
  file: byId("file"),
  model: byId("model"),
  modelChoice: byId("model-choice"),
  labels: byId("labels"),
  status: byId("status"),
  nothing: byId("nothing"),
  copy: byId("copy"),
  rules: document.querySelectorAll("input[name='rule']"),
  threshold: byId("threshold"),
  thresholdValue: byId("threshold-value"),
  problem: byId("problem"),
  problemText: byId("problem-text"),
  again: byId("again"),
  dialog: byId("token-dialog"),
  tokenForm: byId("token-form"),
  tokenProblem: byId("token-problem"),
  token: byId("token"),
  tokenCancel: byId("token-cancel"),
};

let token = ""; // in memory and nowhere else
let tokenCancelled = false; // the dialog opens again only when it is asked for
let shown = { text: "", labels: [] }; // the answer on the page and the text it belongs to
let timer = 0;
let running = null; // the AbortController of the request under way

// Asking the server.

class Problem extends Error {
  constructor(status, message, retryAfter) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

async function ask(path, options = {}) {
  const headers = { Accept: "application/json" };
  if (options.body) headers["Content-Type"] = "application/json";
  if (token) headers.Authorization = `Bearer ${token}`;
  const response = await fetch(path, { ...options, headers, cache: "no-store", credentials: "omit" });
  if (response.ok) return response.json();
  let detail = "";
  try {
    detail = (await response.json()).detail;
  } catch {
    // an answer without a description: the status has to do
  }
  const after = Number(response.headers.get("Retry-After"));
  throw new Problem(response.status, detail || `The server answered ${response.status}.`, after || 1);
}

// JSON has no place for half a character; the replacement takes as much space, so that places still fit.
const wellFormed = (text) =>
  text.replace(/[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]/g, (found) => (found.length === 2 ? found : "\ufffd"));

function question(text) {
  const body = { text, explain: true };
  if (page.model.selectedIndex > 0) body.model = page.model.value; // the first is meant without a name
  if (rule() === "threshold") {
    body.threshold = Number(page.threshold.value);
    body.limit = kMostLabels;
  }
  return JSON.stringify(body);
}

async function suggest() {
  clearTimeout(timer);
  running?.abort();
  running = null;
  page.labels.removeAttribute("aria-busy");
  const text = wellFormed(page.text.value);
  if (!text.trim()) {
    showProblem("");
    showAnswer("", { labels: [] }, question(""));
    return;
  }
  const own = new AbortController();
  running = own;
  page.labels.setAttribute("aria-busy", "true");
  try {
    const body = question(text);
    const answer = await ask("v1/predict", { method: "POST", body, signal: own.signal });
    if (running !== own) return; // another question came after this one
    showProblem("");
    showAnswer(text, answer.documents[0], body);
    // Since a restart another one is the first.
    if (page.model.value && answer.model !== page.model.value) loadModels();
  } catch (error) {
    if (running === own) refused(error, suggest);
  } finally {
    if (running === own) {
      running = null;
      page.labels.removeAttribute("aria-busy");
    }
  }
}

function suggestSoon(pause = kPause) {
  clearTimeout(timer);
  timer = setTimeout(suggest, pause);
}

async function loadModels() {
  try {
    const { projects } = await ask("v1/projects");
    const before = page.model.value;
    page.model.replaceChildren(
      ...projects.map((project) => {
        const option = document.createElement("option");
        option.value = project.project_id;
        option.textContent = project.name || project.project_id;
        return option;
      }),
    );
    if (projects.some((project) => project.project_id === before)) page.model.value = before;
    page.modelChoice.hidden = projects.length < 2;
    showProblem("");
    showStale();
    if (outdated()) suggestSoon();
  } catch (error) {
    refused(error, loadModels);
  }
}

// What to do about a request that failed.
function refused(error, again) {
  if (error.status === 401) {
    askForToken();
  } else if (error.status === 503) {
    showProblem("The server is busy. Trying again…");
    if (again === suggest) suggestSoon(1000 * error.retryAfter);
    else setTimeout(again, 1000 * error.retryAfter);
  } else {
    showProblem(error instanceof Problem ? error.message : "The server does not answer.");
  }
  showStale();
}

// Would another question be asked now than the one that was answered?
const outdated = () => shown.asked !== undefined && shown.asked !== question(wellFormed(page.text.value));

// Labels of a text that is there no more, or of another model, can be looked at, but not taken for those that
// were asked for.
function showStale() {
  const stale = shown.labels.length > 0 && outdated();
  page.labels.classList.toggle("stale", stale);
  page.copy.disabled = stale || shown.labels.length === 0;
  if (stale) page.status.textContent = "Labels from the previous request";
}

function showProblem(message) {
  page.problemText.textContent = message;
  page.problem.hidden = message === "";
}

function askForToken() {
  showProblem(token ? "The server does not accept this token." : "The server requires a token.");
  if (!tokenCancelled) openTokenDialog(token ? "The server does not accept this token." : "");
}

function openTokenDialog(problem) {
  page.token.value = "";
  page.tokenProblem.textContent = problem;
  page.tokenProblem.hidden = problem === "";
  if (!page.dialog.open) page.dialog.showModal();
}

// Showing labels.

function barOf(score) {
  const svg = (name) => document.createElementNS("http://www.w3.org/2000/svg", name);
  const bar = svg("svg");
  bar.classList.add("label-bar");
  bar.setAttribute("aria-hidden", "true");
  for (const [name, width] of [
    ["track", 1],
    ["value", Math.min(Math.max(score, 0), 1)],
  ]) {
    const part = svg("rect");
    part.classList.add(name);
    part.setAttribute("width", `${(100 * width).toFixed(1)}%`);
    part.setAttribute("height", "100%");
    bar.append(part);
  }
  return bar;
}

function span(name, content) {
  const element = document.createElement("span");
  element.className = name;
  element.textContent = content;
  element.dir = "auto";
  return element;
}

// The words of a label, each once, the heaviest first.
function distinctWords(text, words) {
  const unit = unitsOf(text);
  const found = new Map();
  for (const word of words) {
    const raw = text.slice(unit(word.begin), unit(word.end));
    const key = raw.normalize("NFKC").toLowerCase();
    const known = found.get(key);
    found.set(key, { raw: known ? known.raw : raw, weight: (known ? known.weight : 0) + word.weight });
  }
  return [...found.values()].sort((a, b) => b.weight - a.weight).map((word) => word.raw);
}

// The address that a label stands for, if it is one of the web; anything else, such as javascript:, is only shown.
function webAddress(label) {
  if (!/^https?:\/\//i.test(label)) return null;
  try {
    return new URL(label).href;
  } catch {
    return null;
  }
}

function linkOf(label, address) {
  const link = document.createElement("a");
  link.className = "label-link";
  link.href = address;
  link.target = "_blank";
  link.rel = "noopener noreferrer";
  link.textContent = label.label === label.name ? "Open" : label.label;
  link.dir = "auto";
  return link;
}

function itemOf(text, label) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "label";
  button.setAttribute("aria-pressed", "false");
  button.append(span("label-name", label.name), span("label-score", label.score.toFixed(2)), barOf(label.score));
  const address = webAddress(label.label);
  if (label.label !== label.name && !address) button.append(span("label-id", label.label));
  const words = distinctWords(text, label.words ?? []).slice(0, kWordsShown);
  if (words.length) {
    const list = document.createElement("span");
    list.className = "label-words";
    for (const word of words) {
      const item = document.createElement("span");
      item.className = "word";
      const isolated = document.createElement("bdi");
      isolated.textContent = word;
      item.append(isolated);
      list.append(item, " ");
    }
    button.append(list);
  }
  const item = document.createElement("li");
  item.append(button);
  if (address) item.append(linkOf(label, address)); // beside the button: a button cannot contain a link
  return item;
}

// `asked`: the question that this answers.
function showAnswer(text, { labels, words_total: total, words_read: read, cut }, asked) {
  const focused = document.activeElement?.closest("#labels") ? nameInFocus() : null;
  shown = { text, labels, total, read, cut, asked };
  page.labels.replaceChildren(...labels.map((label) => itemOf(text, label)));
  forgetLabel();
  page.nothing.hidden = labels.length > 0;
  page.nothing.textContent = text ? "No label fits." : kInvitation;
  page.status.textContent = text ? statusOf(shown) : "Labels";
  showStale();
  showTextNote();
  const again = labels.findIndex((label) => label.label === focused);
  if (again >= 0) page.labels.children[again].firstElementChild.focus();
}

const counted = (count, one) => `${count.toLocaleString("en")} ${count === 1 ? one : `${one}s`}`;

function statusOf({ labels, total, read, cut }) {
  const best = labels.length === kMostLabels ? "the best " : "";
  const from = cut === undefined ? "" : `, from the first ${read.toLocaleString("en")} of ${counted(total, "word")}`;
  return `${best}${counted(labels.length, "label")}${from}`;
}

function nameInFocus() {
  const at = [...page.labels.children].findIndex((item) => item.contains(document.activeElement));
  return shown.labels[at]?.label ?? null;
}

// The words of a label, marked behind the text; the nearest of them comes into view.
function showWords(button) {
  const at = [...page.labels.children].findIndex((item) => item.firstElementChild === button);
  const words = shown.labels[at]?.words ?? [];
  if ((!words.length && shown.cut === undefined) || !isCurrent()) {
    page.behind.replaceChildren();
    return;
  }
  // A text area shows an empty last line that a block of text does not.
  showMarked(page.behind, shown.text, words, shown.cut);
  page.behind.append("\n");
  page.behind.scrollTop = page.text.scrollTop;
  bringIntoView(page.behind, [...page.behind.querySelectorAll("mark")]);
  page.text.scrollTop = page.behind.scrollTop;
}

const forgetLabel = followLabels(page.labels, showWords);

// Writing, dropping, opening.

const isCurrent = () => wellFormed(page.text.value) === shown.text;

function showTextNote() {
  // Until the model has counted them its own way, as they are told apart at a glance.
  const words = shown.text && isCurrent() ? shown.total : (page.text.value.match(/[\p{L}\p{N}]+/gu)?.length ?? 0);
  let note = words ? counted(words, "word") : "";
  if (shown.cut !== undefined && isCurrent()) {
    note += `. The model read the first ${shown.read.toLocaleString("en")} words, not the grey part.`;
  }
  page.textNote.textContent = note;
}

function textChanged(pause) {
  showTextNote();
  if (!isCurrent()) page.copy.disabled = true;
  page.clear.disabled = page.text.value === "";
  page.behind.replaceChildren();
  suggestSoon(pause);
}

// UTF-8, or UTF-16 that says so, or else what most other texts of the West are.
function decoded(bytes) {
  const [first, second] = new Uint8Array(bytes);
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

async function read(file) {
  if (!file) return;
  if (file.size > kLargestFile) {
    showProblem(`${file.name} is too large: at most ${kLargestFile >> 20} MB.`);
    return;
  }
  const text = decoded(await file.arrayBuffer());
  if (text.includes("\0")) {
    showProblem(`${file.name} is not a text file.`);
    return;
  }
  page.text.value = text;
  page.text.scrollTop = 0;
  textChanged(0);
}

page.text.addEventListener("input", () => textChanged());
page.text.addEventListener("scroll", () => (page.behind.scrollTop = page.text.scrollTop));
page.clear.addEventListener("click", () => {
  page.text.value = "";
  textChanged(0);
  page.text.focus();
});
page.open.addEventListener("click", () => page.file.click());
page.file.addEventListener("change", () => {
  read(page.file.files[0]);
  page.file.value = "";
});

const carriesFile = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
for (const kind of ["dragenter", "dragover"]) {
  document.addEventListener(kind, (event) => {
    if (!carriesFile(event)) return;
    event.preventDefault();
    page.writing.classList.add("dropping");
  });
}
document.addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) page.writing.classList.remove("dropping");
});
document.addEventListener("drop", (event) => {
  page.writing.classList.remove("dropping");
  if (!carriesFile(event)) return;
  event.preventDefault();
  read(event.dataTransfer.files[0]);
});

// Which labels.

const rule = () => [...page.rules].find((radio) => radio.checked).value;

function thresholdMoved() {
  page.thresholdValue.textContent = Number(page.threshold.value).toFixed(2);
  page.threshold.setAttribute("aria-valuetext", page.thresholdValue.textContent);
}

for (const radio of page.rules) radio.addEventListener("change", () => suggestSoon(0));
page.threshold.addEventListener("input", () => {
  thresholdMoved();
  for (const radio of page.rules) radio.checked = radio.value === "threshold";
  suggestSoon(80);
});
page.model.addEventListener("change", () => suggestSoon(0));
page.again.addEventListener("click", () => {
  tokenCancelled = false;
  if (!page.model.options.length) loadModels();
  suggest();
});

// Copying: a label a line, with its name where that is another thing, and its score.

async function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Browsers keep the clipboard from pages that come over plain HTTP from another machine.
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "unseen";
  document.body.append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  page.copy.focus();
  if (!copied) throw new Error("not copied");
}

page.copy.addEventListener("click", async () => {
  const lines = shown.labels.map(({ label, name, score }) =>
    (label === name ? [label, score.toFixed(4)] : [label, name, score.toFixed(4)]).join("\t"),
  );
  try {
    await copyText(`${lines.join("\n")}\n`);
    page.status.textContent = "Copied";
  } catch {
    page.status.textContent = "The browser does not allow this page to copy";
  }
});

// The token.

page.tokenForm.addEventListener("submit", (event) => {
  event.preventDefault();
  const given = page.token.value.trim();
  if (!/^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(given)) {
    openTokenDialog("A token consists of ASCII characters only.");
    return;
  }
  token = given;
  page.token.value = "";
  tokenCancelled = false;
  page.dialog.close();
  loadModels();
  suggest();
});
page.tokenCancel.addEventListener("click", () => {
  tokenCancelled = true;
  page.dialog.close();
});
page.dialog.addEventListener("cancel", () => (tokenCancelled = true)); // by Escape

thresholdMoved();
textChanged(0);
loadModels();
