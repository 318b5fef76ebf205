"use strict";
(() => {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const scheme = window.matchMedia("(prefers-color-scheme: dark)");

  // Charts take their colours from the page's style, so that they follow the reader's scheme.
  function theme() {
    const style = getComputedStyle(document.documentElement);
    const [ink, soft, grid, line] = ["--ink", "--soft", "--grid", "--line"].map((name) => style.getPropertyValue(name).trim());
    const labels = {labelColor: ink, titleColor: soft, titleFontWeight: "normal", labelFontSize: 11, titleFontSize: 12};
    return {
      background: "transparent",
      font: getComputedStyle(document.body).fontFamily,
      view: {stroke: null},
      axis: {...labels, gridColor: grid, domainColor: line, tickColor: line},
      axisQuantitative: {tickCount: 6, labelFlush: false, labelOverlap: "greedy", labelSeparation: 4},
      legend: {...labels, symbolBaseFillColor: ink, symbolBaseStrokeColor: ink},
      mark: {color: ink}, point: {color: ink}, tick: {color: ink}, rule: {color: soft}, rect: {color: soft}, text: {color: ink},
    };
  }

  let views = [];
  async function draw() {
    views.forEach((view) => view.finalize());
    const options = {
      actions: false, renderer: "svg", config: theme(), tooltip: {theme: scheme.matches ? "dark" : "light"},
    };
    const specs = Object.entries(read("specs"));
    views = await Promise.all(specs.map(([id, spec]) => vegaEmbed(document.getElementById(id), spec, options)));
    document.documentElement.dataset.drawn = String(views.length);
  }
  scheme.addEventListener("change", draw);
  draw();

  // --- question by question
  const data = read("letters");
  const field = (id) => document.getElementById(id);
  const node = (tag, text, className) => {
    const made = document.createElement(tag);
    made.textContent = text;
    if (className) made.className = className;
    return made;
  };
  const add = (id, values, chosen) => values.forEach((value, place) => {
    const option = node("option", typeof value === "number" ? value.toLocaleString("en") : value);
    option.value = String(place);
    option.selected = place === chosen;
    field(id).append(option);
  });
  const letter = (mark) => data.failures[mark] ? "no letter (" + data.failures[mark] + ")" : mark === "." ? "–" : mark;
  const cell = (mark, gold) => node("td", gold.includes(mark) ? mark + " ✓" : letter(mark), gold.includes(mark) ? "right" : "");

  function outcome(treatment, control) {
    if (treatment) return control ? "both" : "win";
    return control ? "loss" : "neither";
  }

  function list() {
    const [treatment, control, budget] = ["treatment", "control", "budget"].map((id) => Number(field(id).value));
    const [wanted, split, domain] = ["outcome", "split", "domain"].map((id) => field(id).value);
    const search = field("search").value.trim().toLowerCase();
    const count = {win: 0, loss: 0, both: 0, neither: 0};
    const rows = [];
    data.questions.forEach(([id, place, part, gold], number) => {
      if (split && part !== split || domain && place !== Number(domain) || !id.toLowerCase().includes(search)) return;
      const letters = data.letters[budget][number];
      const found = outcome(gold.includes(letters[treatment]), gold.includes(letters[control]));
      count[found] += 1;
      if (wanted !== "all" && wanted !== found) return;
      const row = document.createElement("tr");
      const head = document.createElement("th");
      const button = node("button", id);
      head.scope = "row";
      button.type = "button";
      button.addEventListener("click", () => detail(number));
      head.append(button);
      const right = [...letters].filter((mark) => gold.includes(mark)).length;
      row.append(
        head, node("td", data.domains[place]), node("td", part), node("td", gold), cell(letters[treatment], gold),
        cell(letters[control], gold), node("td", right + " of " + letters.length, "n"),
      );
      rows.push(row);
    });
    document.querySelector("#drill-table tbody").replaceChildren(...rows);
    const all = count.win + count.loss + count.both + count.neither;
    field("drill-summary").textContent = `${count.win} wins, ${count.loss} losses, ${count.both + count.neither} ties ` +
      `(${count.both} both right, ${count.neither} both wrong) of ${all} questions; ${rows.length} shown.`;
  }

  function detail(number) {
    const [id, place, part, gold] = data.questions[number];
    const table = document.createElement("table");
    const head = document.createElement("tr");
    const body = document.createElement("tbody");
    const top = document.createElement("thead");
    table.append(node("caption", `${id}: ${data.domains[place]}, ${part}, gold ${gold}.`));
    ["Policy", ...data.budgets.map((budget) => budget.toLocaleString("en") + " characters")].forEach((text) => {
      const cell = node("th", text);
      cell.scope = "col";
      head.append(cell);
    });
    top.append(head);
    data.policies.forEach((policy, column) => {
      const row = document.createElement("tr");
      const name = node("th", policy);
      const dot = node("span", "", "dot");
      dot.style.background = data.colours[policy];
      name.scope = "row";
      name.prepend(dot);
      row.append(name, ...data.budgets.map((_, budget) => cell(data.letters[budget][number][column], gold)));
      body.append(row);
    });
    table.append(top, body);
    const frame = node("div", "", "scroll");
    frame.tabIndex = 0;
    frame.append(table);
    field("drill-detail").replaceChildren(node("h3", "Every policy on this question"), frame);
    field("drill-detail").scrollIntoView({block: "nearest"});
  }

  add("treatment", data.policies, data.policies.indexOf(data.treatment));
  add("control", data.policies, data.policies.indexOf(data.control));
  add("budget", data.budgets, 0);
  add("domain", data.domains);
  field("drill").hidden = false;
  field("drill").addEventListener("input", list);
  list();
})();
