// What all places share: errors are announced, keys of links and buttons, and focus after a part has changed.
"use strict";

// An element with data-key="y" is clicked by that key, outside of fields.
document.addEventListener("keydown", (event) => {
  const field = event.target.closest("input, textarea, select, [contenteditable]");
  if (field || event.ctrlKey || event.metaKey || event.altKey) return;
  const found = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (found && !found.disabled) {
    event.preventDefault();
    found.click();
  }
});

// A form with data-confirm asks first.
document.addEventListener("submit", (event) => {
  const question = event.target.dataset.confirm;
  if (question && !window.confirm(question)) event.preventDefault();
}, true);

// A request that got no answer says so.
document.addEventListener("htmx:sendError", () => {
  const line = document.createElement("p");
  line.className = "wrong";
  line.setAttribute("role", "alert");
  line.textContent = "The workbench does not answer; is scrapy ui still running?";
  document.getElementById("message").replaceChildren(line);
});
