// What all places share: errors are announced, keys of links and buttons, and focus after a part has changed.
"use strict";

// An element with data-key="y" is clicked by that key, a field gets the focus; not while one types in a field.
// A key that is held down counts once: what the next page asks is another question.
document.addEventListener("keydown", (event) => {
  const field = event.target.closest("input, textarea, select, [contenteditable]");
  if (field || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  const found = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (found && !found.disabled) {
    event.preventDefault();
    if (found.matches("input")) found.focus();
    else found.click();
  }
});

// A form with data-confirm asks first.
document.addEventListener("submit", (event) => {
  const question = event.target.dataset.confirm;
  if (question && !window.confirm(question)) event.preventDefault();
}, true);

// Where a form was refused: back to it, as it was filled in.
document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-back]") || history.length < 2) return;
  event.preventDefault();
  history.back();
});

// A request that got no answer says so, until one gets an answer; as does one that was refused.
document.addEventListener("htmx:sendError", () => {
  const line = document.createElement("p");
  line.className = "wrong";
  line.dataset.passes = "";
  line.setAttribute("role", "alert");
  line.textContent = "The workbench does not answer; is scrapy ui still running?";
  document.getElementById("message").replaceChildren(line);
});
document.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.successful) document.querySelectorAll("#message [data-passes]").forEach((line) => line.remove());
});
