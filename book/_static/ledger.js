// The ledger: two lists filter the claims by part and by verdict, in the table and below it.

const table = document.querySelector("section#the-claims-ledger table.claims");
if (table) {
  const entries = [...table.tBodies[0].rows].map((row) => {
    const link = row.querySelector("a[href^='#claim-']");
    const text = document.getElementById(link.hash.slice(1)).closest("section");
    const chapter = [...text.querySelectorAll("a[href^='../']")].pop().getAttribute("href");
    return { row, text, part: chapter.split("/")[1], verdict: row.cells[5].textContent.trim() };
  });

  const controls = document.createElement("form");
  controls.className = "ledger-filter";
  const said = document.createElement("output");
  const chosen = {};
  const show = () => {
    let shown = 0;
    for (const entry of entries) {
      const wanted = Object.entries(chosen).every(([what, list]) => !list.value || entry[what] === list.value);
      entry.row.hidden = entry.text.hidden = !wanted;
      shown += wanted;
    }
    said.textContent = `${shown} of ${entries.length} claims`;
  };
  const name = (value) => value[0].toUpperCase() + value.slice(1).replace(/-/g, " ");
  for (const what of ["part", "verdict"]) {
    const list = (chosen[what] = document.createElement("select"));
    list.add(new Option(`every ${what}`, ""));
    for (const value of new Set(entries.map((entry) => entry[what]))) list.add(new Option(name(value), value));
    list.addEventListener("change", show);
    const label = document.createElement("label");
    label.append(`${name(what)} `, list);
    controls.append(label);
  }
  controls.append(said);
  show();
  (table.closest(".pst-scrollable-table-container") ?? table).before(controls);
  // A link to a claim that is filtered out resets the lists, so that the claim is shown.
  window.addEventListener("hashchange", () => {
    if (document.getElementById(location.hash.slice(1))?.closest("[hidden]")) {
      for (const list of Object.values(chosen)) list.value = "";
      show();
      document.getElementById(location.hash.slice(1)).scrollIntoView();
    }
  });
}
