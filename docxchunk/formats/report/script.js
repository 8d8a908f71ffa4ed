"use strict";
// The page can be read without scripts. This adds search, filters, navigation by keys, copying and colour themes.
document.documentElement.dataset.script = "";
const by = (id) => document.getElementById(id);
const chunks = [...document.querySelectorAll(".chunk")];
const search = by("search"), kind = by("kind"), theme = by("theme"), keys = by("keys");
const sets = [...document.querySelectorAll("input[name=set]")];

// Settings are kept in localStorage, if the browser allows it for local files.
const kept = {
  get(name) { try { return localStorage.getItem(name); } catch { return null; } },
  set(name, value) { try { localStorage.setItem(name, value); } catch { /* not kept */ } },
};

function paint(value) {
  if (value) document.documentElement.dataset.theme = value;
  else delete document.documentElement.dataset.theme;
  theme.value = value;
}
paint({ light: "light", dark: "dark" }[kept.get("docxchunk-theme")] || "");
theme.addEventListener("change", () => { paint(theme.value); kept.set("docxchunk-theme", theme.value); });
keys.checked = kept.get("docxchunk-keys") !== "off";
keys.addEventListener("change", () => kept.set("docxchunk-keys", keys.checked ? "on" : "off"));
if (matchMedia("(max-width: 60rem)").matches) document.querySelector(".outline").open = false;

// Copy the text or the citation of a chunk.
async function copy(chunk, what) {
  try {
    await navigator.clipboard.writeText(chunk.dataset[what]);
    tell(chunk, what, "Copied");
  } catch {
    tell(chunk, what, byHand(chunk.dataset[what]) ? "Copied" : "Not copied: the browser does not allow it");
  }
}
// Fallback for browsers without clipboard access for local files.
function byHand(text) {
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}
function tell(chunk, what, sentence) {
  by("said").textContent = `${sentence}: ${what} of chunk ${chunk.dataset.number}`;
  const button = chunk.querySelector(`[data-copy="${what}"]`);
  button.dataset.label ||= button.textContent;
  button.textContent = sentence;
  setTimeout(() => { button.textContent = button.dataset.label; }, 1500);
}
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (button) copy(button.closest(".chunk"), button.dataset.copy);
});

// Search and filters
const texts = new Map();
function textOf(chunk) {
  if (!texts.has(chunk)) texts.set(chunk, chunk.querySelector(".text").textContent.toLowerCase());
  return texts.get(chunk);
}
function filter() {
  const wanted = search.value.trim().toLowerCase();
  const on = sets.length ? new Set(sets.filter((box) => box.checked).map((box) => box.value)) : null;
  let shown = 0;
  for (const chunk of chunks) {
    const data = chunk.dataset;
    const fits = (!on || on.has(data.set)) && (!kind.value || data.kinds.split(" ").includes(kind.value)) && (!wanted || textOf(chunk).includes(wanted));
    if (chunk.hidden === fits) chunk.hidden = !fits;
    shown += fits;
  }
  if (on) for (const column of document.querySelectorAll(".column")) column.hidden = !on.has(column.dataset.set);
  const all = `${chunks.length} chunk${chunks.length === 1 ? "" : "s"}`;
  by("count").textContent = shown === chunks.length ? all : `${shown} of ${all}`;
  by("none").hidden = shown > 0;
  highlight(wanted);
}

// Highlight the first thousand matches (CSS Custom Highlight API).
function highlight(wanted) {
  if (!CSS.highlights) return;
  CSS.highlights.delete("found");
  if (!wanted) return;
  const found = new Highlight();
  for (const chunk of chunks) {
    if (chunk.hidden || found.size > 1000) continue;
    const walker = document.createTreeWalker(chunk.querySelector(".text"), NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.data.toLowerCase();
      if (text.length !== node.length) continue;
      for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, at + wanted.length);
        found.add(range);
      }
    }
  }
  CSS.highlights.set("found", found);
}
let waiting = 0;
search.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(filter, 120); });
kind.addEventListener("change", filter);
for (const box of sets) box.addEventListener("change", filter);

// Navigation by keys
let current = null;
const lead = chunks.filter((chunk) => chunk.dataset.set === chunks[0].dataset.set);
// The current chunk of the first set: the first that reaches into the upper quarter of the window, by binary search.
function firstInView() {
  const shown = lead.filter((chunk) => !chunk.hidden && chunk.offsetParent);
  let low = 0, high = shown.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (shown[middle].getBoundingClientRect().bottom > innerHeight / 4) high = middle;
    else low = middle + 1;
  }
  return shown[low];
}
function go(step) {
  const shown = chunks.filter((chunk) => !chunk.hidden);
  if (!shown.length) return;
  const seen = current && !current.hidden && inView(current);
  const from = seen ? shown.indexOf(current) : shown.indexOf(firstInView()) - (step > 0 ? 1 : 0);
  const chunk = shown[Math.min(Math.max(from + step, 0), shown.length - 1)];
  chunk.focus({ preventScroll: true });
  chunk.scrollIntoView({ block: "start" });
  current = chunk;
}
function inView(chunk) {
  const box = chunk.getBoundingClientRect();
  return box.bottom > 0 && box.top < innerHeight;
}
document.addEventListener("focusin", (event) => { current = event.target.closest(".chunk") || current; });
by("next").addEventListener("click", () => go(1));
by("previous").addEventListener("click", () => go(-1));
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const inSearch = event.target === search;
  if (inSearch && event.key === "Enter") { clearTimeout(waiting); filter(); event.preventDefault(); go(event.shiftKey ? -1 : 1); return; }
  if (event.key === "Escape" && (inSearch || search.value)) { search.value = ""; filter(); search.blur(); return; }
  if (!keys.checked || event.target.closest("input, select, textarea")) return;
  if (event.key === "n" || event.key === "j") go(1);
  else if (event.key === "p" || event.key === "k") go(-1);
  else if (event.key === "c" && current && !current.hidden) copy(current, "text");
  else if (event.key === "/") { event.preventDefault(); search.focus(); search.select(); }
});

// Mark the current section in the outline.
const links = [...document.querySelectorAll(".outline a")];
const numbers = links.map((link) => Number(link.dataset.chunk));
let marked = null, framed = false;
function mark() {
  framed = false;
  const chunk = firstInView();
  const number = chunk && chunk.getBoundingClientRect().top < innerHeight ? Number(chunk.dataset.number) : 0;
  const first = numbers.indexOf(number);
  const link = first >= 0 ? links[first] : links[numbers.findLastIndex((other) => other < number)];
  if (link === marked) return;
  if (marked) marked.removeAttribute("aria-current");
  if (link) { link.setAttribute("aria-current", "location"); reveal(link); }
  marked = link;
}
const nav = document.querySelector("nav");
function reveal(link) {
  const box = link.getBoundingClientRect(), around = nav.getBoundingClientRect();
  if (nav.scrollHeight > nav.clientHeight && (box.top < around.top || box.bottom > around.bottom)) nav.scrollTop += box.top - around.top - nav.clientHeight / 3;
}
addEventListener("scroll", () => { if (!framed) { framed = true; requestAnimationFrame(mark); } }, { passive: true });

// Following a link to a chunk or heading that is filtered out resets the filters.
addEventListener("hashchange", () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const chunk = target && target.closest(".chunk");
  if (chunk && chunk.hidden) { search.value = ""; kind.value = ""; for (const box of sets) box.checked = true; filter(); target.scrollIntoView(); }
  if (chunk) current = chunk;
});

// For printing, unfold the sizes and render all chunks.
let folded = [];
addEventListener("beforeprint", () => { folded = [...document.querySelectorAll(".sizes:not([open]), .legend:not([open])")]; for (const part of folded) part.open = true; });
addEventListener("afterprint", () => { for (const part of folded) part.open = false; });
