// Keys for readers (/ to search, j and k along hits and pages, y, n and u to label, b back), labels without leaving
// the list, the brush of the timeline, the zoom of maps and the live monitor. Every page works without.
"use strict";
(() => {
  const typing = (target) => target.closest("input, select, textarea, [contenteditable]");
  const hits = [...document.querySelectorAll(".hit")];
  let at = -1;

  const go = (step) => {
    if (!hits.length) return;
    hits[at]?.classList.remove("here");
    at = Math.min(hits.length - 1, Math.max(0, at + step));
    hits[at].classList.add("here");
    hits[at].querySelector("a").focus({ preventScroll: true });
    hits[at].scrollIntoView({ block: "nearest" });
  };

  const follow = (selector) => document.querySelector(selector)?.click();

  // A label is sent without leaving the page, and shown by its button; on a list the next hit is then at hand.
  const send = async (form, button) => {
    const data = new FormData(form, button);
    const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(data), redirect: "manual" });
    if (answer.type !== "opaqueredirect" && !answer.ok) return location.reload();
    for (const one of form.querySelectorAll("button")) if (one.value !== "clear") one.setAttribute("aria-pressed", String(one.value === button.value));
  };
  const press = (value) => {
    const form = hits.length ? hits[at]?.querySelector("form[data-label]") : document.querySelector("form[data-label]");
    const button = form?.querySelector(`button[value="${value}"]`);
    if (!button) return;
    if (hits.length && value !== "clear") { send(form, button); go(1); } else button.click();
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && typing(event.target)) { event.target.blur(); return; }
    if (typing(event.target)) return;
    const does = {
      "/": () => { const box = document.querySelector("main input[type=search], input[type=search]"); box?.focus(); box?.select(); },
      j: () => hits.length ? go(1) : follow("nav.flow a[rel=next]"),
      k: () => hits.length ? go(-1) : follow("nav.flow a[rel=prev]"),
      b: () => follow("[data-back]"),
      y: () => press("yes"),
      n: () => press("no"),
      u: () => press("clear"),
    }[event.key];
    if (does) { event.preventDefault(); does(); }
  });

  // A span of the timeline is chosen by dragging; without scripts, a column is one day, month or year.
  document.documentElement.classList.add("scripted");
  for (const figure of document.querySelectorAll("[data-brush]")) {
    const svg = figure.querySelector("svg"), columns = [...svg.querySelectorAll(".column")];
    const at = (event) => { const box = svg.getBoundingClientRect(); return (event.clientX - box.left) / box.width * svg.viewBox.baseVal.width; };
    let from = null, rect = null;
    svg.style.touchAction = "pan-y";
    svg.addEventListener("pointerdown", (event) => { from = at(event); });
    svg.addEventListener("dragstart", (event) => event.preventDefault());
    svg.addEventListener("pointermove", (event) => {
      if (from === null || Math.abs(at(event) - from) < 6) return;
      if (!rect) {
        rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
        rect.setAttribute("class", "brush"); rect.setAttribute("y", 0); rect.setAttribute("height", svg.viewBox.baseVal.height);
        svg.append(rect); svg.setPointerCapture(event.pointerId);
      }
      rect.setAttribute("x", Math.min(from, at(event))); rect.setAttribute("width", Math.abs(at(event) - from));
    });
    svg.addEventListener("pointerup", (event) => {
      const to = at(event), start = from;
      from = null;
      if (!rect) return;
      rect.remove(); rect = null;
      svg.addEventListener("click", (click) => click.preventDefault(), { once: true, capture: true });
      const inside = columns.filter((one) => { const x = one.x.baseVal.value, w = one.width.baseVal.value; return x + w > Math.min(start, to) && x < Math.max(start, to); })
        .map((one) => one.querySelector("title").textContent.split(":")[0]);
      if (!inside.length) return;
      const url = new URL(figure.dataset.brush, location);
      url.searchParams.set("since", inside[0]); url.searchParams.set("until", inside.at(-1));
      location.assign(url);
    });
  }

  // A map is zoomed and moved at once, and drawn anew for its part when the reader rests: rings open into their places.
  for (const figure of document.querySelectorAll("[data-zoom]")) {
    let svg = figure.querySelector("svg.map"), drag = null, waits = 0;
    const [wide, tall] = svg.dataset.whole.split(" ").map(Number);
    const at = (event) => { const frame = svg.getBoundingClientRect(); return [(event.clientX - frame.left) / frame.width, (event.clientY - frame.top) / frame.height]; };
    const draw = async () => {
      const box = svg.getAttribute("viewBox"), url = new URL(figure.dataset.zoom, location);
      url.searchParams.set("box", box.split(" ").join(","));
      const answer = await fetch(url);
      const drawn = answer.ok && new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-zoom] svg.map");
      if (drawn && svg.getAttribute("viewBox") === box) { svg.replaceWith(drawn); svg = drawn; }
    };
    const show = (left, top, width) => {
      const height = width * tall / wide;
      const sides = [Math.min(Math.max(0, left), wide - width), Math.min(Math.max(0, top), tall - height), width, height];
      svg.setAttribute("viewBox", sides.map((side) => side.toFixed(1)).join(" "));
      clearTimeout(waits); waits = setTimeout(draw, 250);
    };
    const zoom = (by, [x, y] = [0.5, 0.5]) => {
      const box = svg.viewBox.baseVal, width = Math.min(wide, Math.max(12, box.width * by));
      show(box.x + x * (box.width - width), box.y + y * (box.height - width * tall / wide), width);
    };
    figure.querySelector(".zoom").addEventListener("click", (event) => { const by = Number(event.target.value); if (by) zoom(by); });
    figure.addEventListener("wheel", (event) => { if (!event.ctrlKey && !event.metaKey) return; event.preventDefault(); zoom(event.deltaY > 0 ? 1.25 : 0.8, at(event)); }, { passive: false });
    figure.addEventListener("dragstart", (event) => event.preventDefault());
    figure.addEventListener("pointerdown", (event) => { if (event.target.closest("svg.map")) drag = { from: at(event), box: { x: svg.viewBox.baseVal.x, y: svg.viewBox.baseVal.y }, moved: false }; });
    figure.addEventListener("pointermove", (event) => {
      if (!drag) return;
      const [x, y] = at(event), box = svg.viewBox.baseVal;
      if (!drag.moved && Math.hypot(x - drag.from[0], y - drag.from[1]) < 0.01) return;
      drag.moved = true;
      show(drag.box.x - (x - drag.from[0]) * box.width, drag.box.y - (y - drag.from[1]) * box.height, box.width);
    });
    const ignore = (click) => click.preventDefault();
    addEventListener("pointerup", () => {
      if (drag?.moved) { figure.addEventListener("click", ignore, true); setTimeout(() => figure.removeEventListener("click", ignore, true), 50); }
      drag = null;
    });
  }

  // On wide screens the parts beside the hits are always open; on narrow ones they wait to be opened.
  const narrow = window.matchMedia("(max-width: 48rem)").matches;
  for (const part of document.querySelectorAll(".facets > details, .panel > details")) part.open = !narrow || Boolean(part.dataset.narrowed);

  for (const form of document.querySelectorAll(".hit form[data-label]")) {
    form.addEventListener("submit", (event) => {
      if (event.submitter.value === "clear") return;
      event.preventDefault();
      send(form, event.submitter);
    });
  }
  for (const form of document.querySelectorAll("form[data-busy]")) {
    form.addEventListener("submit", () => {
      const button = form.querySelector("button");
      setTimeout(() => { button.disabled = true; button.textContent = form.dataset.busy; form.setAttribute("aria-busy", "true"); });
    });
  }
  if (document.querySelector("[data-again]")) setTimeout(() => location.reload(), 3000);

  // The crawl's page is sent anew whenever it has changed; a reader who looks elsewhere is sent nothing.
  const live = document.querySelector("[data-live]");
  if (live) {
    let source = null;
    const show = (event) => {
      if (live.querySelector("details[open]")) return;
      const pressed = live.contains(document.activeElement) && document.activeElement.value;
      live.innerHTML = event.data;
      if (pressed) live.querySelector(`button[value="${pressed}"]`)?.focus();
    };
    const watch = () => {
      source?.close();
      if (document.hidden) return;
      source = new EventSource(live.dataset.live);
      source.onmessage = show;
    };
    document.addEventListener("visibilitychange", watch);
    watch();
  }
})();
