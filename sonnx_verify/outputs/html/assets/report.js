// What needs a script: the search of the overview, folded obligations that are linked to, and the theme. Without it
// everything is there to be read.
"use strict";

const MOST = 100; // So many of those that are found are listed: who wants more, searches for less.

function search(form) {
  const words = form.querySelector("#words"), verdict = form.querySelector("#verdict");
  const kind = form.querySelector("#kind"), count = form.querySelector("#count");
  const found = document.querySelector("#found");

  function matches([identity, its, own]) {
    const text = `${identity} ${own}`.toLowerCase();
    return words.value.toLowerCase().split(/\s+/).every((word) => text.includes(word)) &&
      (!verdict.value || its === verdict.value) && (!kind.value || own === kind.value);
  }

  function line([identity, its, , state, address]) {
    const item = document.createElement("li"), link = document.createElement("a");
    const chip = document.createElement("span");
    link.href = address;
    link.textContent = identity;
    chip.className = `verdict ${state}`;
    chip.textContent = its;
    item.append(link, " ", chip);
    return item;
  }

  function apply() {
    const asked = new URLSearchParams();
    for (const [name, field] of [["q", words], ["verdict", verdict], ["kind", kind]]) {
      if (field.value.trim()) asked.set(name, field.value);
    }
    const listed = asked.size ? OBLIGATIONS.filter(matches) : [];
    found.replaceChildren(...listed.slice(0, MOST).map(line));
    found.hidden = listed.length === 0;
    const more = listed.length > MOST ? `, the first ${MOST} of them below` : "";
    count.textContent = `${asked.size ? listed.length : OBLIGATIONS.length} of ${OBLIGATIONS.length} obligations${more}`;
    // A page in a file can change no more of its address than this.
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

function unfold() {
  // Who follows a link to an obligation wants to see what it rests on.
  const folded = document.getElementById(decodeURIComponent(location.hash.slice(1)))?.querySelector("details");
  if (folded) folded.open = true;
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
if (form) search(form);
unfold();
addEventListener("hashchange", unfold);
addEventListener("beforeprint", () => {
  for (const closed of document.querySelectorAll("details:not([open])")) closed.open = true;
});
