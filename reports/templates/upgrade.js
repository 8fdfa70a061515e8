"use strict";
// Filters of the differences; without a script all of them are listed.
(() => {
  const form = document.getElementById("filters");
  const count = document.getElementById("count");
  const groups = [...document.querySelectorAll("details.group")];
  const frames = [...document.querySelectorAll("details.folded, details.cause")].reverse();
  const texts = new Map(groups.map((group) => [group, group.textContent.toLowerCase()]));
  form.hidden = false;

  function draw() {
    const { right, cls, own, words } = form.elements;
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const isFiltered = Boolean(right.value || cls.value || own.checked || wanted.length);
    for (const group of groups) {
      group.hidden = Boolean((right.value && group.dataset.right !== right.value)
        || (cls.value && group.dataset.cls !== cls.value)
        || (own.checked && group.dataset.own === "0")
        || !wanted.every((word) => texts.get(group).includes(word)));
    }
    for (const frame of frames) {
      frame.hidden = !frame.querySelector("details.group:not([hidden])");
      if (isFiltered) frame.open = true;
    }
    const visible = groups.filter((group) => !group.hidden).length;
    count.textContent = isFiltered ? `${visible.toLocaleString("en")} of ${groups.length.toLocaleString("en")} differences` : "";
  }
  form.addEventListener("input", draw);
  form.addEventListener("submit", (event) => event.preventDefault());
  draw();
})();
