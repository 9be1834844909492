// Taxonomy: what is dragged onto a category becomes an example of it, or a category below it. Each drag has a
// form that does the same.
"use strict";

(() => {
  let dragged = null;

  // What is dragged with an example: all that are chosen in its list, if it is one of them.
  const together = (label) => {
    const box = label.querySelector("input");
    const list = label.closest("ul");
    if (!box.checked || !list) return [label.dataset.example];
    return [...list.querySelectorAll("[data-example] input:checked")].map((one) => one.value);
  };

  document.addEventListener("dragstart", (event) => {
    const from = event.target.closest("[data-example], [data-category]");
    if (!from) return;
    dragged = from.dataset.category !== undefined
      ? { category: from.dataset.category }
      : { examples: together(from), source: from.dataset.source || "" };
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", dragged.category || dragged.examples.join("\n"));
  });

  document.addEventListener("dragend", () => {
    dragged = null;
    document.querySelectorAll(".over").forEach((node) => node.classList.remove("over"));
  });

  const target = (event) => {
    const node = dragged && event.target.closest("[data-drop]");
    return node && node.dataset.drop !== dragged.category ? node : null;
  };

  document.addEventListener("dragover", (event) => {
    const node = target(event);
    document.querySelectorAll(".over").forEach((other) => other !== node && other.classList.remove("over"));
    if (!node) return;
    event.preventDefault();
    node.classList.add("over");
  });

  document.addEventListener("drop", (event) => {
    const node = target(event);
    if (!node) return;
    event.preventDefault();
    const form = document.getElementById("dropped");
    const add = (name, value) => {
      const field = document.createElement("input");
      field.type = "hidden";
      field.name = name;
      field.value = value;
      form.append(field);
    };
    add("into", node.dataset.drop);
    if (dragged.category) {
      form.action = form.action.replace(/add$/, "move");
      form.elements.at.value = dragged.category;
    } else {
      dragged.examples.forEach((name) => add("example", name));
      add("source", dragged.source);
    }
    form.submit();
  });
})();
