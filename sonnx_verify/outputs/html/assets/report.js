// What needs a script: the filter of the overview, and the theme. Without it everything is there to be read.
"use strict";

function filter(form) {
  const words = form.querySelector("#words"), verdict = form.querySelector("#verdict");
  const kind = form.querySelector("#kind"), count = form.querySelector("#count");
  const rows = [...document.querySelectorAll(".list tbody tr")];
  const cells = [...document.querySelectorAll(".matrix a.cell")];

  function shows(line) {
    // A line is an identity, a verdict and a kind.
    const [identity, its, own] = line.split(" ");
    const text = `${identity} ${own}`.toLowerCase();
    return words.value.toLowerCase().split(/\s+/).every((word) => text.includes(word)) &&
      (!verdict.value || its === verdict.value) && (!kind.value || own === kind.value);
  }

  function apply() {
    let shown = 0;
    for (const row of rows) {
      row.hidden = !shows(row.dataset.of);
      shown += !row.hidden;
    }
    for (const cell of cells) cell.style.visibility = cell.dataset.of.split("\n").some(shows) ? "" : "hidden";
    for (const row of document.querySelectorAll(".matrix tr.row")) {
      row.hidden = ![...row.querySelectorAll("a.cell")].some((cell) => cell.style.visibility === "");
    }
    for (const group of document.querySelectorAll(".matrix tbody")) {
      group.hidden = !group.querySelector("tr.row:not([hidden])");
    }
    count.textContent = `${shown} of ${rows.length} obligations`;
    // A page in a file can change no more of its address than this.
    const asked = new URLSearchParams();
    for (const [name, field] of [["q", words], ["verdict", verdict], ["kind", kind]]) {
      if (field.value) asked.set(name, field.value);
    }
    history.replaceState(null, "", asked.size ? `#${asked}` : location.pathname.split("/").pop());
  }

  function restore() {
    const asked = new URLSearchParams(location.hash.slice(1));
    words.value = asked.get("q") ?? "";
    verdict.value = asked.get("verdict") ?? "";
    kind.value = asked.get("kind") ?? "";
    if (verdict.selectedIndex < 0) verdict.value = "";
    if (kind.selectedIndex < 0) kind.value = "";
    apply();
  }

  form.hidden = false;
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(apply));
  addEventListener("hashchange", restore);
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) {
      event.preventDefault();
      words.focus();
    }
  });
  restore();
}

function theme(button) {
  const root = document.documentElement, system = matchMedia("(prefers-color-scheme: dark)");
  const kept = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  const keep = (name) => { try { localStorage.setItem("theme", name); } catch { /* this page only */ } };
  const dark = () => (root.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const show = () => { button.textContent = dark() ? "Light" : "Dark"; };
  if (kept()) root.dataset.theme = kept();
  button.hidden = false;
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    keep(root.dataset.theme);
    show();
  });
  system.addEventListener("change", show);
  show();
}

theme(document.querySelector("#theme"));
const form = document.querySelector("#filter");
if (form) filter(form);
addEventListener("beforeprint", () => {
  for (const closed of document.querySelectorAll("details:not([open])")) closed.open = true;
});
