// Keys for readers (/ to search, j and k along the hits, y, n and u to label) and the live monitor. Every page works without.
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

  const press = (value) => document.querySelector(`form[data-label] button[value="${value}"]`)?.click();

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && typing(event.target)) { event.target.blur(); return; }
    if (typing(event.target)) return;
    const does = {
      "/": () => { const box = document.querySelector("main input[type=search], input[type=search]"); box?.focus(); box?.select(); },
      j: () => go(1),
      k: () => go(-1),
      y: () => press("yes"),
      n: () => press("no"),
      u: () => press("clear"),
    }[event.key];
    if (does) { event.preventDefault(); does(); }
  });

  // On wide screens the filters are always open; without this they would be a closed <details>.
  const filters = document.querySelector("aside details");
  if (filters && !window.matchMedia("(max-width: 48rem)").matches) filters.open = true;
  if (filters && window.matchMedia("(max-width: 48rem)").matches && !filters.dataset.narrowed) filters.open = false;

  for (const form of document.querySelectorAll("form[data-busy]")) {
    form.addEventListener("submit", () => {
      const button = form.querySelector("button");
      setTimeout(() => { button.disabled = true; button.textContent = form.dataset.busy; form.setAttribute("aria-busy", "true"); });
    });
  }
  if (document.querySelector("[data-again]")) setTimeout(() => location.reload(), 3000);

  const live = document.querySelector("[data-live]");
  if (live) {
    const refresh = async () => {
      if (!document.hidden) {
        try {
          const answer = await fetch(live.dataset.live, { headers: { Accept: "text/html" } });
          const text = await answer.text();
          const pressed = live.contains(document.activeElement) && document.activeElement.value;
          if (answer.ok) live.innerHTML = text;
          if (pressed) live.querySelector(`button[value="${pressed}"]`)?.focus();
        } catch { /* the library may have been closed; try again */ }
      }
      setTimeout(refresh, 1500);
    };
    setTimeout(refresh, 1500);
  }
})();
