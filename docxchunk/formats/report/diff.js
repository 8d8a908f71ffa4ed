"use strict";
// The page can be read without scripts. This adds navigation from change to change by keys.
const cards = [...document.querySelectorAll(".chunk")];
if (matchMedia("(max-width: 60rem)").matches) document.querySelector(".outline").open = false;
let at = -1;
function go(step) {
  if (!cards.length) return;
  at = Math.min(Math.max(at + step, 0), cards.length - 1);
  cards[at].focus({ preventScroll: true });
  (cards[at].querySelector("ins, del") || cards[at]).scrollIntoView({ block: "center" });
}
document.addEventListener("focusin", (event) => { const card = event.target.closest(".chunk"); if (card) at = cards.indexOf(card); });
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "n" || event.key === "j") go(1);
  else if (event.key === "p" || event.key === "k") go(-1);
});
