// The map of the chapters: pointing at a chapter shows all its prerequisites.

for (const map of document.querySelectorAll(".chapter-map svg")) {
  const arcs = [...map.querySelectorAll(".map-arc")];
  const chapters = [...map.querySelectorAll(".map-chapter")];

  const show = (name) => {
    const needed = new Set([name]);
    for (const one of needed) { // grows as it is walked
      for (const { dataset } of arcs) if (dataset.to === one) needed.add(dataset.from);
    }
    map.classList.add("map-chosen");
    for (const arc of arcs) arc.classList.toggle("map-needed", needed.has(arc.dataset.to));
    for (const chapter of chapters) chapter.classList.toggle("map-needed", needed.has(chapter.dataset.name));
  };
  const hide = () => map.classList.remove("map-chosen");

  for (const chapter of chapters) {
    for (const event of ["pointerenter", "focus"]) chapter.addEventListener(event, () => show(chapter.dataset.name));
    for (const event of ["pointerleave", "blur"]) chapter.addEventListener(event, hide);
  }
}
