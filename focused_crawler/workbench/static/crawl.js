// The live page of a crawl: dots that arrive, and parts that change, by server-sent events.
"use strict";
(() => {
  const SHOWN = 300; // dots in the chart
  const HEIGHT = 220, LEFT = 34, RIGHT = 8, TOP = 10, BOTTOM = 22;
  const root = document.getElementById("crawl");
  if (!root) return;
  const here = root.dataset.here;
  const frame = document.getElementById("chart");
  const said = document.getElementById("chart-said");
  const named = Number(root.dataset.upto);
  let dots = []; // [position, relevance, is relevant, mean, URL], in order
  let upto = named || null; // null: the newest
  let last = 0, focused = null, drawing = false, lost = null;

  const SVG = "http://www.w3.org/2000/svg";
  function element(name, attributes, parent) {
    const made = document.createElementNS(SVG, name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    if (parent) parent.appendChild(made);
    return made;
  }

  function shown() {
    const end = upto === null ? dots.length : dots.findLastIndex((dot) => dot[0] <= upto) + 1;
    return dots.slice(Math.max(0, end - SHOWN), end);
  }

  function draw() {
    drawing = false;
    const width = Math.max(280, frame.clientWidth);
    const part = shown();
    const svg = element("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, role: "group", "aria-labelledby": "chart-title" });
    const inner = width - LEFT - RIGHT, high = HEIGHT - TOP - BOTTOM;
    const x = (number) => LEFT + (inner * (number + 0.5)) / SHOWN;
    const y = (share) => TOP + high * (1 - share);
    for (const share of [0, 0.5, 1]) {
      element("line", { x1: LEFT, x2: width - RIGHT, y1: y(share), y2: y(share), class: "rule" }, svg);
      element("text", { x: LEFT - 6, y: y(share) + 4, "text-anchor": "end" }, svg).textContent = share;
    }
    if (part.length) {
      element("text", { x: LEFT, y: HEIGHT - 5 }, svg).textContent = `page ${part[0][0].toLocaleString("en")}`;
      const end = Math.min(x(part.length - 1), width - RIGHT);
      if (end > 180) element("text", { x: end, y: HEIGHT - 5, "text-anchor": "end" }, svg).textContent = part.at(-1)[0].toLocaleString("en");
    }
    const line = part.map((dot, number) => `${x(number).toFixed(1)},${y(dot[3]).toFixed(1)}`).join(" ");
    const hasFocus = focused !== null && document.activeElement && document.activeElement.closest("#chart");
    let first = null;
    part.forEach((dot, number) => {
      const link = element("a", { href: `${here}/page?url=${encodeURIComponent(dot[4])}`, tabindex: "-1", "data-position": dot[0] }, svg);
      link.setAttribute("aria-label", `Page ${dot[0]}, relevance ${dot[1].toFixed(2)}, ${dot[2] ? "relevant" : "not relevant"}: ${dot[4]}`);
      element("circle", { cx: x(number).toFixed(1), cy: y(dot[1]).toFixed(1), r: width < 500 ? 2 : 3, class: dot[2] ? "full" : "hollow" }, link);
      if (dot[0] === focused || number === part.length - 1) first = link;
    });
    if (line) element("polyline", { points: line, class: "mean" }, svg);
    frame.replaceChildren(svg);
    const own = focused !== null && svg.querySelector(`[data-position="${focused}"]`);
    const entry = own || first;
    if (entry) entry.setAttribute("tabindex", "0");
    if (hasFocus && own) own.focus({ preventScroll: true });
  }

  function redraw() {
    if (drawing) return;
    drawing = true;
    requestAnimationFrame(draw);
  }

  function tell(dot) {
    said.textContent = dot ? `Page ${dot[0].toLocaleString("en")}: ${dot[1].toFixed(2)}, ${dot[2] ? "relevant" : "not relevant"}, ${dot[4]}` : "";
  }

  function dotOf(target) {
    const link = target.closest && target.closest("[data-position]");
    return link ? dots.find((dot) => dot[0] === Number(link.dataset.position)) : null;
  }

  frame.addEventListener("mouseover", (event) => tell(dotOf(event.target)));
  frame.addEventListener("focusin", (event) => {
    const dot = dotOf(event.target);
    if (dot) { focused = dot[0]; tell(dot); }
  });
  frame.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -SHOWN, End: SHOWN }[event.key];
    const links = [...frame.querySelectorAll("[data-position]")];
    const at = links.indexOf(document.activeElement);
    if (!step || at < 0) return;
    event.preventDefault();
    const next = links[Math.min(links.length - 1, Math.max(0, at + step))];
    links[at].setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  });

  // Earlier pages are asked for; the address says which are shown, so that it can be shared.
  async function goTo(position) {
    if (position === null || position >= last) {
      upto = null;
      history.replaceState(null, "", here);
      if (dots.length && dots.at(-1)[0] < last) dots = [];
      if (!dots.length || dots.at(-1)[0] < last) await load(last);
    } else {
      upto = Math.max(1, position);
      history.replaceState(null, "", `${here}?upto=${upto}`);
      if (!dots.length || dots[0][0] > Math.max(1, upto - SHOWN + 1) || dots.at(-1)[0] < upto) await load(Math.max(upto, Math.min(last, SHOWN)));
    }
    redraw();
  }
  async function load(position) {
    const answer = await fetch(`${here}/dots?upto=${position}`);
    if (answer.ok) dots = await answer.json();
  }
  const edge = () => (upto === null ? last : upto);
  document.getElementById("earlier").addEventListener("click", () => goTo(Math.max(Math.min(SHOWN, last), edge() - SHOWN / 2)));
  document.getElementById("later").addEventListener("click", () => goTo(edge() + SHOWN / 2));
  document.getElementById("newest").addEventListener("click", () => goTo(null));

  function append(news) {
    last = Math.max(last, news.at(-1)[0]);
    if (dots.length && dots.at(-1)[0] + 1 < news[0][0]) {
      if (upto !== null) return; // an earlier part is shown: the newest are asked for when they are wanted
      dots = [];
    }
    const after = dots.length ? dots.at(-1)[0] : 0;
    dots = dots.concat(news.filter((dot) => dot[0] > after)).slice(-2000);
    redraw();
  }

  // A part is not exchanged while somebody is in it.
  const waiting = new Map();
  function exchange(name, html) {
    const target = document.getElementById(`live-${name}`);
    if (!target) return;
    if (target.contains(document.activeElement) && target !== document.activeElement) {
      waiting.set(name, html);
      return;
    }
    waiting.delete(name);
    target.innerHTML = html; // made and escaped by our own server
    htmx.process(target);
    const state = target.querySelector("[data-running]");
    if (state) root.dataset.running = state.dataset.running;
  }
  document.addEventListener("focusout", () => setTimeout(() => waiting.forEach((html, name) => exchange(name, html)), 0));

  // A browser has six connections to a server, for all its tabs: one that nobody sees holds none.
  function listen() {
    const onceTurned = (act) => document.addEventListener("visibilitychange", act, { once: true });
    if (document.hidden) { onceTurned(listen); return; }
    const events = new EventSource(`${here}/live?after=${last}`);
    events.onmessage = (event) => {
      if (lost) { lost.remove(); lost = null; }
      const message = JSON.parse(event.data);
      if (message.dots) append(message.dots);
      for (const name in message.parts || {}) exchange(name, message.parts[name]);
    };
    events.onerror = () => {
      events.close();
      setTimeout(listen, 3000);
      if (lost) return;
      lost = document.createElement("p");
      lost.className = "wrong";
      lost.textContent = "The workbench does not answer. If it was started anew, open the address that it printed.";
      document.getElementById("message").appendChild(lost);
    };
    onceTurned(() => {
      if (events.readyState === EventSource.CLOSED) return; // it is begun anew in a moment
      events.close();
      listen();
    });
    window.addEventListener("pagehide", () => events.close(), { once: true });
  }

  new ResizeObserver(redraw).observe(frame);
  last = Number(root.dataset.pages);
  if (named && named < last) goTo(named);
  const missed = last;
  last = Math.max(0, missed - SHOWN);
  listen();
  last = missed;
})();
