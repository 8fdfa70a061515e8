"use strict";
// Text of the data is hostile: it is put into the page as text nodes only, and an address that is not ours is no link.
(() => {
  const root = document.body.dataset.root;
  const byId = (id) => document.getElementById(id);
  const each = (selector, action, within = document) => within.querySelectorAll(selector).forEach(action);

  // -- the search of every page ------------------------------------------------------------------------------
  each("form.find", (form) => {
    form.hidden = false;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      location.href = `${root}search.html#${new URLSearchParams({ q: form.querySelector("input").value })}`;
    });
  });

  // -- filters of a table ------------------------------------------------------------------------------------
  each("form[data-for]", (form) => {
    form.hidden = false;
    const table = byId(form.dataset.for);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", () => filter(form, table));
    filter(form, table);
  });

  // Names of the formats are written BYTE_STREAM_SPLIT, those of cases byte-stream-split.
  function plain(text) {
    return text.toLowerCase().replaceAll("_", "-");
  }

  // Which texts have all words; if none has, which have their beginnings, as "los" for "lost" and "lose"; if none
  // has these, which have most of the words. The hint says which it was.
  function matching(texts, words) {
    const all = (has) => texts.map((text) => words.every((word) => has(text, word)));
    const exact = all((text, word) => text.includes(word));
    if (!words.length || exact.includes(true)) return { fits: exact, hint: "" };
    const like = all((text, word) => text.includes(word) || begins(text, word));
    if (like.includes(true)) return { fits: like, hint: "No page has all of these words: these have similar ones." };
    const counts = texts.map((text) => words.filter((word) => text.includes(word)).length);
    const most = counts.reduce((left, right) => Math.max(left, right), 0);
    const rest = most ? `these have ${most} of the ${words.length}` : "try fewer or other ones";
    return { fits: counts.map((count) => most > 0 && count === most), hint: `No page has all of these words: ${rest}.` };
  }

  function begins(text, word) {
    const stem = /^[a-z]{4,}$/.test(word) ? word.replace(/(ing|ed|es|[set])$/, "").slice(0, 5) : "";
    return stem.length > 2 && new RegExp(`(^|[^a-z])${stem}`).test(text);
  }

  function filter(form, table) {
    const hidden = columnsToHide(form, table);
    const words = (form.querySelector("[data-filter=rows]")?.value ?? "").toLowerCase().split(/\s+/).filter(Boolean).map(plain);
    const { fits, hint } = matching([...table.tBodies[0].rows].map((row) => plain(row.dataset.text ?? "")), words);
    const differ = form.querySelector("[data-filter=differ]")?.checked;
    const ofColumns = form.querySelector("[data-filter=columns]");
    const fields = [...form.querySelectorAll("[data-field]")].filter((select) => select.value);
    for (const [place, row] of [...table.tBodies[0].rows].entries()) {
      const visible = [...row.cells].slice(1).filter((cell) => !hidden.has(cell.cellIndex) && !cell.querySelector(".none"))
        .map((cell) => cell.textContent);
      row.hidden = !fits[place] || (differ && new Set(visible).size < 2)
        || (ofColumns && !visible.length) || fields.some((select) => row.dataset[select.dataset.field] !== select.value);
    }
    if (ofColumns) hideColumns(table, hidden);
    const count = document.querySelector(`[data-count="${form.dataset.for}"]`);
    if (count) {
      const rows = [...table.tBodies[0].rows];
      count.textContent = `${rows.filter((row) => !row.hidden).length.toLocaleString("en")} of ${rows.length.toLocaleString("en")}${hint && `. ${hint}`}`;
    }
  }

  // Columns that are chosen away, and those without an answer in the rows that are left.
  function hideColumns(table, chosen) {
    const rows = [...table.tBodies[0].rows].filter((row) => !row.hidden);
    const answered = new Set(rows.flatMap((row) => [...row.cells].filter((cell) => !cell.querySelector(".none")).map((cell) => cell.cellIndex)));
    const hides = [...table.tHead.rows[0].cells].map((cell, at) => chosen.has(at) || (at > 0 && rows.length > 0 && !answered.has(at)));
    for (const row of [...table.tHead.rows, ...rows]) [...row.cells].forEach((cell, at) => { cell.hidden = hides[at]; });
  }

  function columnsToHide(form, table) {
    const hidden = new Set();
    const select = form.querySelector("[data-filter=columns]");
    if (!select) return hidden;
    const most = { newest: 2, last: 1, all: Infinity }[select.value];
    const off = new Set([...form.querySelectorAll("[data-engine]:not(:checked)")].map((box) => box.dataset.engine));
    for (const cell of table.tHead.rows[0].cells) {
      if (cell.dataset.engine && (off.has(cell.dataset.engine) || Number(cell.dataset.age) > most)) hidden.add(cell.cellIndex);
    }
    return hidden;
  }

  // A drawing that is wider than the window begins with its newest run.
  each(".scroll-x", (box) => { box.scrollLeft = box.scrollWidth; });

  // -- the bytes of a file -----------------------------------------------------------------------------------
  each(".parts button", (button) => {
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => {
      each(".parts button", (other) => other.setAttribute("aria-pressed", String(other === button)));
      marked(Number(button.dataset.first), Number(button.dataset.end));
    });
  });

  function marked(first, end) {
    let top = null;
    each(".dump .row", (row) => {
      const at = Number(row.dataset.at);
      const hex = row.querySelector(".hex");
      const bytes = hex.textContent.split(" ");
      const [from, to] = [Math.max(0, first - at), Math.min(bytes.length, end - at)];
      if (from >= to) { hex.textContent = bytes.join(" "); return; }
      const mark = document.createElement("mark");
      mark.textContent = bytes.slice(from, to).join(" ");
      const before = bytes.slice(0, from).join(" "), after = bytes.slice(to).join(" ");
      hex.replaceChildren(before && `${before} `, mark, after && ` ${after}`);
      top ??= row;
    });
    const box = document.querySelector(".dump");
    if (top) box.scrollTop = top.offsetTop - box.firstElementChild.offsetTop - 20;
  }

  // A link to a part of the page that is folded opens it.
  function unfold() {
    const target = location.hash.length > 1 ? byId(location.hash.slice(1)) : null;
    if (target?.tagName === "DETAILS") target.open = true;
  }
  window.addEventListener("hashchange", unfold);
  unfold();

  // -- search: virtual rows over data that is loaded in parts --------------------------------------------------
  const form = byId("search");
  const HEIGHT = 54;
  const entries = [];
  const texts = [];
  let matches = [];

  window.colconf = { put(rows) { for (const row of rows) { entries.push(row); texts.push(plain(`${row[1]}\n${row[3]}\n${row[7]}`)); } } };
  if (!form) return;

  const list = byId("rows");
  const space = document.createElement("div");
  const verdicts = new Map([...byId("chips").children].map((chip) => [chip.dataset.verdict, chip.firstElementChild]));
  const chunks = Number(form.dataset.chunks);
  const engines = new Set([...form.elements.engine.options].map((option) => plain(option.value)).filter(Boolean));

  function load(number) {
    if (number === chunks) return;
    const script = document.createElement("script");
    script.src = `${root}data/entries-${number}.js`;
    script.addEventListener("load", () => { search(number + 1 === chunks); load(number + 1); });
    script.addEventListener("error", () => { byId("count").textContent = `data/entries-${number}.js cannot be read`; });
    document.head.append(script);
  }

  // An entry: kind, title, address, detail, worst verdict, format, engines whose newest version is wrong, more words.
  // The name of an engine chooses among findings; cases, features and rules are about every engine.
  function search(isWhole) {
    const chosen = new FormData(form);
    const words = plain(chosen.get("q")).split(/\s+/).filter(Boolean);
    const [kind, verdict, format, engine] = ["kind", "verdict", "format", "engine"].map((name) => chosen.get(name));
    const names = words.filter((word) => engines.has(word));
    const others = names.length < words.length ? names.map((name) => ` ${name}`).join("") : "";
    const candidates = entries.map((entry, place) => ({ entry, text: ["finding", "engine"].includes(entry[0]) ? texts[place] : texts[place] + others }))
      .filter(({ entry }) => (!kind || entry[0] === kind) && (!verdict || entry[4] === verdict)
        && (!format || entry[5] === format) && (!engine || entry[6].includes(engine)));
    const { fits, hint } = matching(candidates.map(({ text }) => text), words);
    matches = candidates.filter((_, place) => fits[place]).map(({ entry }) => entry);
    byId("count").textContent = `${matches.length.toLocaleString("en")} of ${entries.length.toLocaleString("en")}${isWhole ? hint && `. ${hint}` : ", loading"}`;
    space.style.height = `${matches.length * HEIGHT}px`;
    draw();
  }

  function draw() {
    const first = Math.max(0, Math.floor(list.scrollTop / HEIGHT) - 5);
    const last = Math.min(matches.length, first + Math.ceil(list.clientHeight / HEIGHT) + 10);
    list.replaceChildren(space, ...matches.slice(first, last).map((entry, place) => drawn(entry, first + place)));
  }

  function drawn([kind, title, address, detail, verdict], place) {
    const row = document.createElement("a");
    const [head, kindText, below] = ["span", "span", "span"].map((tag) => document.createElement(tag));
    row.href = root + address;
    row.style.top = `${place * HEIGHT}px`;
    kindText.className = "kind";
    kindText.textContent = `${kind} `;
    head.append(kindText, title);
    if (verdicts.has(verdict)) head.append(verdicts.get(verdict).cloneNode(true));
    below.className = "detail";
    below.textContent = detail;
    row.append(head, below);
    return row;
  }

  function recall() {
    const chosen = new URLSearchParams(location.hash.slice(1));
    for (const input of form.elements) if (input.name) input.value = chosen.get(input.name) ?? "";
    list.scrollTop = 0;
    search(true);
  }

  // Each filter is a step of the browser's history; typing goes on in the same step.
  function remember(isNew) {
    const chosen = [...new FormData(form)].filter(([, value]) => value);
    const address = `#${new URLSearchParams(chosen)}`;
    if (isNew) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
    list.scrollTop = 0;
    search(true);
  }

  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", (event) => remember(event.target.tagName === "SELECT"));
  form.addEventListener("reset", () => setTimeout(() => remember(true)));
  list.addEventListener("scroll", draw);
  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !matches.length) return;
    event.preventDefault();
    const links = [...list.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    links[Math.min(links.length - 1, Math.max(0, at + step))]?.focus();
  });
  window.addEventListener("popstate", recall);
  window.addEventListener("hashchange", recall);
  recall();
  load(0);
})();
