"use strict";
// Links words and cells. A fact lights its cell, the cells it was computed from, and what was computed from it.

const tip = Object.assign(document.createElement("div"), {id: "tip", hidden: true});
tip.setAttribute("role", "tooltip");
document.body.append(tip);

function linkedTo(element) {
  const {cell, from = ""} = element.dataset, ids = [cell, ...from.split(" ")].filter(Boolean);
  const selectors = ids.map(id => `[data-cell="${CSS.escape(id)}"]`);
  if (cell) selectors.push(`[data-from~="${CSS.escape(cell)}"]`);
  return selectors.length ? document.querySelectorAll(selectors.join()) : [];
}

function label(element) {
  if (element.dataset.label || element.closest(".text")) return element.dataset.label;
  // A cell has no words of its own: those of the first fact that states it, or was computed from it.
  const stating = [...linkedTo(element)].find(other => other.matches("mark"));
  return stating && stating.dataset.label;
}

function placeTip(element) {
  const {left, top, bottom} = element.getBoundingClientRect(), gap = 6, page = document.documentElement;
  const below = bottom + gap + tip.offsetHeight < page.clientHeight ? bottom + gap : top - gap - tip.offsetHeight;
  const frame = (element.closest(".card, .box") || page).getBoundingClientRect();
  tip.style.left = `${scrollX + Math.max(8, Math.min(left, frame.right - tip.offsetWidth - gap))}px`;
  tip.style.top = `${scrollY + below}px`;
}

function show(element) {
  hide();
  for (const other of [element, ...linkedTo(element)]) other.classList.add("lit");
  tip.textContent = label(element) || "";
  tip.hidden = !tip.textContent;
  if (tip.hidden) return;
  element.setAttribute("aria-describedby", tip.id);
  placeTip(element);
}

function hide() {
  tip.hidden = true;
  for (const element of document.querySelectorAll(".lit")) element.classList.remove("lit");
  for (const element of document.querySelectorAll("[aria-describedby=tip]")) element.removeAttribute("aria-describedby");
}

// What is pointed at shows its links; what was clicked, tapped or stepped to keeps showing them.
const linked = element => element && element.closest && element.closest("mark, [data-cell], [data-from]");
for (const name of ["mouseover", "focusin", "click"])
  document.addEventListener(name, event => { const element = linked(event.target); if (element) show(element); });
for (const name of ["mouseout", "focusout"])
  document.addEventListener(name, event => {
    const focused = name === "mouseout" && linked(document.activeElement);
    if (focused) show(focused);
    else if (linked(event.target)) hide();
  });

// Words and stated cells are one tab stop for each text and each box score; arrow keys step from one to the next.
const steps = group => [...group.querySelectorAll("mark, .stated")];
document.addEventListener("keydown", event => {
  if (event.key === "Escape") hide();
  const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
  const group = event.target.closest("[data-steps]"), here = linked(event.target);
  if (!step || !group || !here) return;
  event.preventDefault();
  const all = steps(group), next = all[all.indexOf(here) + step];
  if (next) next.focus();
});

// Call after a text or a box score has changed: finds the cells that the page's texts state, and their sources.
function linkFacts() {
  for (const cell of document.querySelectorAll(".stated, .source")) {
    cell.classList.remove("stated", "source", "refuted");
    cell.removeAttribute("tabindex");
  }
  for (const mark of document.querySelectorAll("mark"))
    for (const cell of linkedTo(mark))
      if (cell.closest(".box")) {
        cell.classList.add(cell.dataset.cell === mark.dataset.cell ? "stated" : "source");
        if (mark.matches(".false")) cell.classList.add("refuted");
      }
  for (const group of document.querySelectorAll("[data-steps]"))
    steps(group).forEach((element, index) => { element.tabIndex = index ? -1 : 0; });
}
linkFacts();
