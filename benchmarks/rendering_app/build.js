function build(node) {
  if (typeof node == 'string') return document.createTextNode(node);
  const made = document.createElement(node[0]);
  for (const [name, value] of Object.entries(node[1])) made.setAttribute(name, value);
  for (const child of node[2]) made.appendChild(build(child));
  return made;
}
function show(page) {
  document.title = page.title;
  for (const part of page.parts) document.getElementById(PLACE).appendChild(build(part));
}
function load() {
  const path = location.pathname + location.search;
  fetch('/api/page.json?path=' + encodeURIComponent(path)).then(answer => answer.json()).then(show);
}
