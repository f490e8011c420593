// The search of a published collection, in the reader's browser, and the player of its archive.
"use strict";
(() => {
  // Words as browser_index.py has them: without accents, in lower case; ideographs, kana and syllables one by one.
  const own = "\\u3041-\\u309f\\u30a1-\\u30fa\\u30fc-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7a3\\uf900-\\ufaff\\u{20000}-\\u{3ffff}";
  const word = new RegExp(`[${own}]|(?:(?![${own}])[\\p{L}\\p{N}])+`, "gu");
  const fold = (text) => [...text.toLowerCase()].map((letter) => [...letter.normalize("NFD")][0]).join("");
  const wordsIn = (text) => (fold(text).match(word) ?? []).map((one) => [...one].slice(0, 40).join(""));
  const partOf = (one) => [...one].slice(0, 2).map((letter) => letter.codePointAt(0).toString(16)).join("-");

  // Files of the index are scripts that call this: a page that is opened from a disk may read nothing else.
  const parts = {}, waiting = {};
  window.lycosa = (name, content) => { parts[name] = content; };
  const load = (name) => waiting[name] ??= new Promise((done) => {
    const script = document.createElement("script");
    script.src = `index/${name}.js`;
    script.onload = () => done(parts[name] ?? {});
    script.onerror = () => done({});
    document.head.append(script);
  });

  // Pages with a word, or one that begins with it, each with what it counts for; rarer words count for more.
  const pagesWith = async (one, total) => {
    const words = await load(partOf(one)), found = new Map();
    for (const [known, steps] of Object.entries(words)) {
      if (known !== one && !([...one].length > 2 && known.startsWith(one))) continue;
      let page = 0;
      const weight = Math.log(1 + total / (steps.length / 2)) * (known === one ? 1 : 0.7);
      for (let at = 0; at < steps.length; at += 2) {
        page += steps[at];
        found.set(page, Math.max(found.get(page) ?? 0, weight * Math.log(1 + steps[at + 1])));
      }
    }
    return found;
  };

  const search = async (typed) => {
    const { rows, common } = await load("pages");
    const asked = [...new Set(wordsIn(typed))], told = asked.filter((one) => !common.includes(one));
    if (!told.length) return { rows, hits: asked.length ? rows.map((_, at) => at) : [] };
    const found = await Promise.all(told.map((one) => pagesWith(one, rows.length)));
    const all = [...found[0].keys()].filter((page) => found.every((one) => one.has(page)));
    const weight = (page) => found.reduce((sum, one) => sum + one.get(page), 0);
    return { rows, hits: all.sort((a, b) => weight(b) - weight(a) || a - b) };
  };

  const make = (tag, text, name) => { const made = document.createElement(tag); made.textContent = text; if (name) made.className = name; return made; };
  const show = async (typed) => {
    const list = document.getElementById("hits"), { rows, hits } = typed.trim() ? await search(typed) : { rows: [], hits: [] };
    document.getElementById("front").hidden = Boolean(typed.trim());
    document.getElementById("found").textContent = typed.trim() ? `${hits.length.toLocaleString("en")} page${hits.length === 1 ? "" : "s"}${hits.length > 100 ? ", the best 100 of them" : ""}` : "";
    list.replaceChildren(...hits.slice(0, 100).map((at) => {
      const [id, title, source, date, opening] = rows[at], hit = make("li", "", "hit"), head = make("div", "", "title"), from = make("div", "", "from"), link = make("a", title);
      link.href = `pages/${id}.html`;
      head.dir = "auto";
      head.append(link);
      from.append(make("span", source), ...(date ? [make("span", date)] : []));
      const text = make("p", opening);
      text.dir = "auto";
      hit.append(head, from, text);
      return hit;
    }));
  };

  const form = document.querySelector("[data-search]");
  if (form) {
    const box = form.elements.q;
    form.hidden = false;
    box.value = new URLSearchParams(location.search).get("q") ?? "";
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      history.replaceState(null, "", box.value.trim() ? `?q=${encodeURIComponent(box.value.trim())}` : location.pathname);
      show(box.value);
    });
    if (box.value) show(box.value);
  }

  const place = document.querySelector("[data-replay]");
  if (place) {
    const player = document.createElement("replay-web-page");
    player.setAttribute("source", new URL(place.dataset.replay, location).href);
    player.setAttribute("replayBase", "player/");
    player.setAttribute("embed", "default");
    const url = new URLSearchParams(location.hash.slice(1)).get("url");
    if (url) player.setAttribute("url", url);
    player.className = "archived";
    place.append(player);
  }
})();
