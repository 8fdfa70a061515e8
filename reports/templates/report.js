"use strict";
// Cases are drawn on demand, as text nodes only: everything in the data may be hostile.
(() => {
  const STEP = 100;
  const data = JSON.parse(document.getElementById("data").textContent);
  const text = (place) => data.strings[place];
  const byId = (id) => document.getElementById(id);
  const inputs = { verdict: byId("f-verdict"), engine: byId("f-engine"), feature: byId("f-feature"), text: byId("f-text") };
  const order = Object.keys(data.verdicts);
  const rank = new Map(order.map((verdict, place) => [verdict, place]));

  const results = data.results.map(([place, engine, verdict, outcome, finding, seconds, rss, more]) => {
    const [id, sha256, file, features, expectation, command, check] = data.cases[place];
    return {
      case: text(id), sha256: text(sha256), file: text(file), features: data.features[features].map(text),
      expectation: data.expectations[expectation], engine, verdict: text(verdict), outcome: text(outcome),
      command: text(verdict) === "wrote_invalid" ? text(check) : text(command) && `${text(command)} --engine ${quoted(data.engines[engine])}`,
      finding: Boolean(finding), seconds, rss, more,
    };
  });
  const collator = new Intl.Collator("en", { numeric: true });
  results.sort((a, b) => b.finding - a.finding || rank.get(a.verdict) - rank.get(b.verdict)
    || collator.compare(a.case, b.case) || a.engine - b.engine);

  const byCase = new Map();
  for (const result of results) byCase.set(result.case, [...(byCase.get(result.case) || []), result]);

  let matches = [];
  let drawn = 0;

  function node(tag, className, ...children) {
    const element = document.createElement(tag);
    if (className) element.className = className;
    for (const child of children) if (child !== null && child !== undefined) element.append(child);
    return element;
  }

  // A block of text that may scroll; the keyboard reaches it.
  function block(content) {
    const element = node("pre", "", content);
    element.tabIndex = 0;
    return element;
  }

  function haystack(result) {
    if (result.haystack === undefined) {
      const { error = {}, difference = [], gist, probe, known = [], equivalences = [], columns = [] } = result.more;
      const places = [...Object.values(error), ...difference, ...known, ...equivalences, ...columns, ...Object.values(result.expectation)];
      for (const place of [gist, probe]) if (place !== undefined) places.push(place);
      result.haystack = [result.case, result.file, result.sha256, ...result.features, ...places.map(text)].join("\n").toLowerCase();
    }
    return result.haystack;
  }

  function wanted() {
    const verdict = inputs.verdict.value, engine = inputs.engine.value, feature = inputs.feature.value;
    const words = inputs.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    return (result) =>
      (verdict === "" || (verdict === "!findings" ? result.finding
        : verdict === "!known" ? Boolean(result.more.known) : result.verdict === verdict))
      && (engine === "" || result.engine === Number(engine))
      && (feature === "" || result.features.includes(feature) || (feature === "(no feature)" && !result.features.length))
      && words.every((word) => haystack(result).includes(word));
  }

  function chip({ verdict, more }) {
    const [label, tone, meaning] = data.verdicts[verdict];
    const element = node("span", `chip ${more.known ? "known" : tone}`, more.known ? `known: ${label}` : label);
    element.title = meaning;
    return element;
  }

  function draw() {
    matches = results.filter(wanted());
    drawn = 0;
    byId("list").replaceChildren();
    byId("count").textContent = `${matches.length.toLocaleString("en")} of ${results.length.toLocaleString("en")} results`;
    drawMore();
  }

  function drawMore() {
    const part = matches.slice(drawn, drawn + STEP);
    byId("list").append(...part.map(card));
    drawn += part.length;
    const left = matches.length - drawn;
    byId("more").hidden = left === 0;
    byId("more").textContent = `Show ${Math.min(STEP, left)} more of ${left.toLocaleString("en")}`;
    if (matches.length === 1) byId("list").firstChild.open = true;
  }

  function card(result) {
    const first = node("span", "first", chip(result), node("span", "name", data.engines[result.engine]),
      node("span", "case", result.case));
    const summary = node("summary", "", first);
    if (result.more.gist !== undefined) summary.append(node("span", "gist", text(result.more.gist)));
    const details = node("details", "result", summary);
    details.addEventListener("toggle", () => { if (details.open && details.children.length === 1) details.append(body(result)); });
    return details;
  }

  function body(result) {
    const { error = {}, difference, probe, known, equivalences, columns } = result.more;
    const facts = node("dl", "facts");
    const fact = (name, ...values) => facts.append(node("dt", "", name), node("dd", "", ...values));
    fact("means", data.verdicts[result.verdict][2]);
    if (probe !== undefined) fact("query", node("span", "value", text(probe)));
    if (difference) {
      const [path, kind, expected, actual] = difference.map(text);
      fact("first difference", kind, path && node("span", "value", ` at ${path}`));
      const isUnstable = result.verdict === "unstable";  // two answers to one request
      fact(isUnstable ? "first" : "expected", block(expected));
      fact(isUnstable ? "then" : "got", block(actual));
    }
    const expected = (name) => (result.expectation[name] === undefined ? "" : text(result.expectation[name]));
    fact("expectation", { accept: "accept: the reader must return these values", refuse: "refuse: the reader must raise an error", either: "either: the implementation may accept or refuse" }[expected("kind")] || expected("kind") || "not known");
    fact("source", expected("source") === "vote"
      ? `a vote of the engines${expected("votes") ? ` (${expected("votes")})` : ""}: no specification or metadata states the values of this file`
      : expected("source") || "not known");
    for (const name of ["rule", "clause", "reason", "certainty", "why"]) if (expected(name)) fact(name, expected(name));
    if (expected("breach")) fact("breach", `the writer${expected("writer") ? `, ${expected("writer")},` : ""} breaks ${expected("breach").replaceAll(" ", ", ")}; read all the same`);
    fact("outcome", result.outcome.replaceAll("_", " "));
    for (const [name, place] of Object.entries(error)) {
      const long = name === "message" || name === "stderr";
      fact({ class: "error", stderr: "standard error" }[name] || name, long ? block(text(place)) : text(place));
    }
    if (equivalences) fact("equivalences", equivalences.map(text).join(", "));
    if (known) fact("known failure", `${text(known[0])} `, link(text(known[1])), " ", section(text(known[2])));
    if (columns) fact("features of its columns", columns.map(text).join(", "));
    const others = byCase.get(result.case) || [];
    if (others.length > 1) fact("listed answers", answers(others, result));
    if (result.features.length) fact("features", result.features.join(", "));
    fact("file", node("span", "value", result.file || "–"));
    if (result.command) fact("to reproduce", block(result.command));
    if (result.sha256) fact("sha256", node("span", "value", result.sha256));
    fact("cost", `${result.seconds.toFixed(3)} s${result.rss ? `, peak memory ${(result.rss / 2 ** 20).toFixed(0)} MiB` : ""}`);
    return node("div", "body", facts);
  }

  function answers(others, result) {
    const rows = [...others].sort((a, b) => a.engine - b.engine).map((other) => node("tr", "",
      node("th", "", data.engines[other.engine], other === result ? " (this one)" : ""), node("td", "", chip(other)),
      node("td", "gist", other.more.gist === undefined ? "" : text(other.more.gist))));
    for (const row of rows) row.firstChild.scope = "row";
    return node("div", "scroll", node("table", "", node("tbody", "", ...rows)));
  }

  function section(finding) {
    if (!finding) return "";
    const anchor = node("a", "", finding);
    anchor.href = `#finding-${finding}`;
    anchor.addEventListener("click", () => { const target = byId(`finding-${finding}`); if (target) target.open = true; });
    return anchor;
  }

  function link(url) {
    if (!/^https?:\/\//.test(url)) return url;
    const anchor = node("a", "", url);
    anchor.href = url;
    anchor.rel = "noopener noreferrer";
    return anchor;
  }

  function quoted(word) {
    return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
  }

  // The filter lives in the address, so that what one sees can be linked to and the back button works.
  function remember() {
    const chosen = Object.entries(inputs).filter(([, input]) => input.value !== "").map(([name, input]) => [name, input.value]);
    return `#cases?${new URLSearchParams(chosen)}`;
  }

  function recall() {
    if (location.hash && !location.hash.startsWith("#cases?")) return;
    const chosen = location.hash ? new URLSearchParams(location.hash.slice("#cases?".length)) : new URLSearchParams(first);
    for (const [name, input] of Object.entries(inputs)) input.value = chosen.get(name) || "";
    draw();
    if (location.hash) byId("cases").scrollIntoView();
  }

  function choose(chosen) {
    for (const [name, input] of Object.entries(inputs)) input.value = chosen[name] || "";
    const address = remember();
    if (location.hash === address) recall();
    else location.hash = address;
  }

  // A choice is a step of the browser's history, which Back undoes; typing goes on in its step.
  let waiting = 0;
  let isTyping = false;
  function changed(event) {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const goesOn = isTyping && event?.target === inputs.text;
      history[goesOn ? "replaceState" : "pushState"](null, "", remember());
      isTyping = event?.target === inputs.text;
      draw();
    }, 120);
  }
  for (const input of Object.values(inputs)) input.addEventListener("input", changed);
  byId("more").addEventListener("click", drawMore);
  byId("f-reset").addEventListener("click", () => { for (const input of Object.values(inputs)) input.value = ""; changed(); });

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-engine], button[data-label]");
    if (!button) return;
    const { engine, label, verdict, feature, case: name } = button.dataset;
    choose({ engine: engine ?? String(Math.max(0, data.engines.indexOf(label))), verdict, feature, text: name });
  });

  function filterFeatures() {
    const words = byId("feature-text").value.toLowerCase().split(/\s+/).filter(Boolean);
    const problems = byId("feature-problems").checked;
    for (const group of byId("matrix").tBodies) {
      let visible = 0;
      for (const row of group.rows) {
        if (row.dataset.feature === undefined) continue;
        const keep = words.every((word) => row.dataset.feature.toLowerCase().includes(word))
          && (!problems || row.querySelector("[data-findings]") !== null);
        row.hidden = !keep;
        visible += keep;
      }
      group.hidden = visible === 0;
    }
  }
  byId("feature-text").addEventListener("input", filterFeatures);
  byId("feature-problems").addEventListener("change", filterFeatures);

  const first = results.some((result) => result.finding) ? { verdict: "!findings" } : {};
  window.addEventListener("popstate", recall);
  recall();
  if (location.hash && !location.hash.startsWith("#cases?")) draw();
})();
