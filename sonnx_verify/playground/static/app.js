// The page: an editor, and what the server says of its text. Nothing is fetched but from that server.
const byId = (id) => document.getElementById(id);
const text = byId("text"), paint = byId("paint"), numbers = byId("numbers");
const banner = byId("banner"), found = byId("found"), rows = byId("rows");
const PAUSE = 350; // milliseconds without a keystroke, after which a text is checked

const facts = await (await fetch("facts.json")).json();
const keywords = new Set(facts.words.keywords), types = new Set(facts.words.types);

function made(name, className, ...children) {
  const node = document.createElement(name);
  if (className) node.className = className;
  node.append(...children);
  return node;
}

// A sentence, with what stands between backticks set as code.
const prose = (sentence) => sentence.split("`").map((part, n) => (n % 2 ? made("code", "", part) : part));

// ---------------------------------------------------------------------------------------------------------- the editor

const TOKEN = new RegExp(
  [
    /(?<comment>--.*)/,
    /(?<string>"[^"]*")/,
    /(?<tag>\[[A-Za-z_][\w., ]*\](?=\s*\b(?:constraint|count|error|let|restriction|shape|unspecified|value)\b))/,
    /(?<number>\b\d+(?:\.\d+)?\b)/,
    /(?<name>[A-Za-z_]\w*)/,
  ].map((part) => part.source).join("|"),
  "g",
);

function painted(line) {
  const node = made("div");
  let at = 0;
  for (const match of line.matchAll(TOKEN)) {
    let kind = Object.keys(match.groups).find((name) => match.groups[name] !== undefined);
    if (kind === "name") kind = keywords.has(match[0]) ? "word" : types.has(match[0]) ? "type" : "";
    if (!kind) continue;
    node.append(line.slice(at, match.index), made("span", kind, match[0]));
    at = match.index + match[0].length;
  }
  node.append(line.slice(at));
  return node;
}

let lines = [];
function repaint() {
  const now = text.value.split("\n");
  // Only lines that changed are painted: between the first and the last that differ.
  let start = 0, end = 0;
  while (start < now.length && start < lines.length && now[start] === lines[start]) start++;
  while (end < Math.min(now.length, lines.length) - start && now.at(-1 - end) === lines.at(-1 - end)) end++;
  for (let n = lines.length - end; n > start; n--) paint.children[n - 1].remove();
  const before = paint.children[start] ?? null;
  for (const line of now.slice(start, now.length - end)) paint.insertBefore(painted(line), before);
  while (numbers.children.length < now.length) numbers.append(made("div", "", String(numbers.children.length + 1)));
  while (numbers.children.length > now.length) numbers.lastChild.remove();
  lines = now;
  follow();
}

function follow() {
  paint.scrollTop = numbers.scrollTop = text.scrollTop;
  paint.scrollLeft = text.scrollLeft;
}

function unmark() {
  for (const node of document.querySelectorAll(".numbers div, .paint div")) node.removeAttribute("class");
}

function mark(line, kind) {
  for (const node of [numbers.children[line - 1], paint.children[line - 1]]) node?.classList.add(kind);
}

function goTo(line) {
  const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  text.focus();
  text.setSelectionRange(before, before + (lines[line - 1] ?? "").length);
  const height = paint.firstChild?.getBoundingClientRect().height ?? 20;
  text.scrollTop = Math.max(0, (line - 4) * height);
}

function replaceText(now) {
  text.focus();
  text.select();
  // As if it were typed, so that it can be undone; browsers that do not know this lose what was there.
  if (!document.execCommand("insertText", false, now)) {
    text.value = now;
    changed();
  }
  text.setSelectionRange(0, 0);
  text.scrollTop = text.scrollLeft = 0;
}

// --------------------------------------------------------------------------------------------------------- the server

const SILENT = "The server does not answer. Is sonnx-verify serve still running?";
const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

// Ask, and hand each message to `hear`; an aborted signal ends the work at the server too.
async function ask(question, body, hear, signal) {
  let answer;
  do {
    if (answer) await sleep(1000);
    if (signal.aborted) return;
    answer = await fetch(question, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal,
    });
  } while (answer.status === 429 || answer.status === 503);
  if (!answer.ok) {
    hear({ kind: "end", state: "failed", sentence: `Refused: ${(await answer.json()).error}.` });
    return;
  }
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "", ended = false;
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    const parts = (rest + piece.value).split("\n");
    rest = parts.pop();
    for (const part of parts) {
      const message = JSON.parse(part);
      ended = message.kind === "end";
      hear(message);
    }
  }
  if (!ended) throw new TypeError("the answer has no end");
}

async function asked(question, body, hear, signal) {
  try {
    await ask(question, body, hear, signal);
  } catch {
    if (!signal.aborted) hear({ kind: "end", state: "failed", sentence: SILENT });
  }
}

// ----------------------------------------------------------------------------------------------------------- verdicts

let checking = new AbortController(), timer = 0, drawing = 0;
let known = { rows: new Map(), mistakes: [] };

function changed() {
  repaint();
  unmark();
  remember();
  checking.abort();
  clearTimeout(timer);
  cancelAnimationFrame(drawing);
  byId("format").disabled = true;
  // Until the new text is decided, verdicts of the one before are not to be taken for its own.
  byId("verdicts").classList.add("old");
  say("", "The text has changed.");
  timer = setTimeout(check, PAUSE);
}

function say(state, sentence) {
  banner.className = `banner ${state}`;
  if (banner.textContent !== sentence) banner.textContent = sentence;
}

async function check() {
  clearTimeout(timer);
  checking.abort();
  checking = new AbortController();
  const { signal } = checking;
  say("", "Checking …");
  await asked("check", { text: text.value }, (message) => { if (!signal.aborted) hear(message); }, signal);
}

function hear(message) {
  switch (message.kind) {
    case "begin":
      known = { rows: new Map(), mistakes: [] };
      unmark();
      return;
    case "text":
      byId("formatted-text").textContent = message.text;
      byId("format").disabled = message.text === text.value;
      return;
    case "mistake":
      known.mistakes.push(message);
      break;
    case "row":
      known.rows.set(message.id, message);
      break;
    case "end":
      // First, so that nothing is good whose rows are not there yet.
      draw();
      say(message.state, message.sentence);
      byId("scope").textContent = message.state === "good" ? scope() : "";
      return;
  }
  cancelAnimationFrame(drawing);
  drawing = requestAnimationFrame(draw);
}

function scope() {
  const scopes = new Set([...known.rows.values()].filter((r) => r.verdict === "proved" && r.scope).map((r) => r.scope));
  return [...scopes].map((one) => `Proved for ${one}.`).join(" ");
}

const GOOD = new Set(["proved", "holds"]);
function colour(row) {
  if (row.status === 0) return "good";
  return row.status === 1 ? "finding" : "open";
}

function draw() {
  cancelAnimationFrame(drawing);
  byId("verdicts").classList.remove("old");
  byId("scope").textContent = "";
  const articles = known.mistakes.map(mistakeArticle);
  const listed = [...known.rows.values()];
  for (const row of listed) if (row.status !== 0 || !GOOD.has(row.verdict)) articles.push(rowArticle(row));
  found.replaceChildren(...articles);
  rows.replaceChildren(...listed.map(tableRow));
  byId("all").hidden = listed.length === 0;
  byId("count").textContent = listed.length === 1 ? "1 obligation" : `All ${listed.length} obligations`;
}

function lineButton(line) {
  const button = made("button", "line", `line ${line}`);
  button.type = "button";
  button.addEventListener("click", () => goTo(line));
  return button;
}

function mistakeArticle(mistake) {
  const head = made("div", "head", made("h2", "", ...prose(mistake.message)));
  if (mistake.place?.file === "playground.sonnx") {
    mark(mistake.place.line, "mistake");
    head.append(lineButton(mistake.place.line));
  }
  const article = made("article", "mistake", head);
  if (mistake.cure) article.append(made("p", "fix", "To fix: ", ...prose(mistake.cure)));
  return article;
}

function rowArticle(row) {
  const kind = colour(row);
  if (kind === "finding") mark(row.line, "finding");
  const head = made("div", "head", verdict(row), made("h2", "", row.id), lineButton(row.line));
  return made("article", kind === "good" ? "fine" : kind, head, made("pre", "", trimmed(row.finding)));
}

// The lines are indented as the command prints them, below the name of the obligation.
const trimmed = (listed) => listed.map((line) => line.replace(/^ {2}/, "")).join("\n");

function verdict(row) {
  const expected = row.status === 0 && !GOOD.has(row.verdict);
  return made("span", `verdict ${colour(row)}`, expected ? `${row.verdict}, as expected` : row.verdict);
}

function tableRow(row) {
  return made("tr", "", made("td", "", verdict(row)), made("td", "", row.id), made("td", "", lineButton(row.line)));
}

// ---------------------------------------------------------------------------------------------------------- questions

function questions(question) {
  const answer = byId(`${question}-answer`), values = byId(`${question}-values`), button = byId(`${question}-ask`);
  let asking = new AbortController();
  async function run() {
    asking.abort();
    asking = new AbortController();
    const { signal } = asking;
    answer.className = "answer";
    answer.textContent = "Working …";
    const body = { text: text.value, values: values.value };
    let said = [], bad = false;
    await asked(question, body, (message) => {
      if (signal.aborted) return;
      if (message.kind === "begin") [said, bad] = [[], false];
      if (message.kind === "answer") [said, bad] = [message.lines, message.fails];
      if (message.kind === "mistake") [said, bad] = [[...said, ...mistakeLines(message)], true];
      if (message.kind === "end" && message.state === "failed") [said, bad] = [[message.sentence], true];
      if (message.kind !== "end") return;
      answer.textContent = said.join("\n");
      answer.classList.toggle("bad", bad);
    }, signal);
  }
  button.addEventListener("click", run);
  values.addEventListener("keydown", (event) => { if (event.key === "Enter" && event.ctrlKey) run(); });
}

function mistakeLines(mistake) {
  const place = mistake.place ? `line ${mistake.place.line}: ` : "";
  return [`${place}${mistake.message}`, ...(mistake.cure ? [`to fix: ${mistake.cure}`] : [])];
}

// --------------------------------------------------------------------------------------------------------------- tabs

const tabs = [...document.querySelectorAll("[role=tab]")];
function show(chosen) {
  for (const tab of tabs) {
    tab.setAttribute("aria-selected", String(tab === chosen));
    tab.tabIndex = tab === chosen ? 0 : -1;
    byId(tab.getAttribute("aria-controls")).hidden = tab !== chosen;
  }
}
for (const tab of tabs) {
  tab.addEventListener("click", () => show(tab));
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
    next.focus();
    show(next);
  });
}

// -------------------------------------------------------------------------------------------------------------- links

async function through(stream, data, most) {
  const reader = new Blob([data]).stream().pipeThrough(stream).getReader();
  const pieces = [];
  let size = 0;
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    size += piece.value.length;
    // A link of few characters can stand for a text that fills the memory.
    if (size > most) throw new RangeError("too long");
    pieces.push(piece.value);
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

async function toFragment(value) {
  const data = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(value), 2 * facts.most);
  const letters = Array.from(data, (byte) => String.fromCharCode(byte)).join("");
  return `#text=${btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}

async function fromFragment(fragment) {
  const letters = atob(fragment.slice("#text=".length).replaceAll("-", "+").replaceAll("_", "/"));
  const data = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  return new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), data, facts.most));
}

async function share() {
  history.replaceState(null, "", await toFragment(text.value));
  try {
    await navigator.clipboard.writeText(location.href);
    byId("note").textContent = "Copied. The link contains the text after its #, which browsers send to no server.";
  } catch {
    byId("note").textContent = "The link is in the address bar. It contains the text after its #, which browsers send to no server.";
  }
}

// --------------------------------------------------------------------------------------------------------------- begin

// A browser may keep nothing for a page, and say so by an error.
function kept(store, key, value) {
  try {
    if (value !== undefined) window[store].setItem(key, value);
    return window[store].getItem(key);
  } catch {
    return null;
  }
}
const remember = () => kept("sessionStorage", "text", text.value);

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}
function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  byId("theme").textContent = isDark() ? "Light" : "Dark";
}
byId("theme").addEventListener("click", () => setTheme(kept("localStorage", "theme", isDark() ? "light" : "dark")));

function describe(example) {
  byId("lesson").replaceChildren(...prose(example?.lesson ?? ""));
  byId("evaluate-values").value = example?.evaluate ?? "";
  byId("shape-values").value = example?.shape ?? "";
  byId("evaluate-answer").textContent = byId("shape-answer").textContent = "";
}

const chosen = byId("example");
chosen.append(...facts.examples.map((one, n) => {
  const option = made("option", "", one.title);
  option.value = String(n);
  return option;
}));
const own = made("option", "", "Your text");
own.value = "";
chosen.append(own);
chosen.addEventListener("change", () => {
  const example = facts.examples[Number(chosen.value)];
  if (chosen.value === "") return describe(null);
  describe(example);
  byId("note").textContent = "";
  replaceText(example.text);
});

text.addEventListener("input", () => {
  byId("note").textContent = "";
  changed();
});
text.addEventListener("scroll", follow);
text.addEventListener("keydown", (event) => { if (event.key === "Enter" && event.ctrlKey) check(); });
byId("format").addEventListener("click", () => replaceText(byId("formatted-text").textContent));
byId("share").addEventListener("click", share);
questions("evaluate");
questions("shape");
setTheme(kept("localStorage", "theme"));

async function begin() {
  if (location.hash.startsWith("#text=")) {
    try {
      return await fromFragment(location.hash);
    } catch {
      byId("note").textContent = "The link contains no readable text.";
    }
  }
  return kept("sessionStorage", "text");
}

async function load() {
  const before = await begin();
  const n = facts.examples.findIndex((one) => one.text === (before ?? facts.examples[0].text));
  chosen.value = n < 0 ? "" : String(n);
  describe(facts.examples[n]);
  text.value = before ?? facts.examples[0].text;
  // What a person types before would be overwritten.
  text.readOnly = false;
  changed();
  check();
}
addEventListener("hashchange", load);
await load();
