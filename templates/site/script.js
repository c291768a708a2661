"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const root = document.documentElement;

  // Light or dark: what was chosen, else what the system prefers.
  const theme = $("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const stored = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  const isDark = () => (root.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
  const label = () => { theme.textContent = isDark() ? "Light" : "Dark"; };
  if (stored()) root.dataset.theme = stored();
  theme.hidden = false;
  theme.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    try { localStorage.setItem("theme", root.dataset.theme); } catch { /* The choice lasts as long as the page. */ }
    label();
  });
  system.addEventListener("change", label);
  label();

  // Links: #Kind.version.path, #Kind.path of the newest version, or #path of the first kind that has it.
  const sections = [...document.querySelectorAll(".version")].map((it) => it.id);
  const find = (name) => {
    if (!name) return null;
    const exact = $(name);
    if (exact) return exact;
    const dot = name.indexOf(".");
    const kind = dot < 0 ? name : name.slice(0, dot);
    const own = sections.filter((id) => id.startsWith(kind + "."));
    const found = own.map((id) => $(id + name.slice(kind.length))).find(Boolean);
    return found || sections.map((id) => $(id + "." + name)).find(Boolean) || null;
  };
  const go = () => {
    const target = find(decodeURIComponent(location.hash.slice(1)));
    document.querySelectorAll(".target").forEach((it) => it.classList.remove("target"));
    if (!target) return;
    for (let it = target; it; it = it.parentElement) if (it.tagName === "DETAILS") it.open = true;
    if (target.matches(".fields li")) {
      target.classList.add("target");
      const own = target.querySelector(":scope > details");
      if (own) own.open = true;
    }
    // What comes into view is laid out only then, and may move the target.
    const show = (times) => {
      target.scrollIntoView({ block: "start" });
      if (times > 0) requestAnimationFrame(() => show(times - 1));
    };
    show(3);
  };
  addEventListener("hashchange", go);
  if (location.hash) go();

  // Samples are copied, and trees opened and closed as a whole.
  document.querySelectorAll(".sample").forEach((sample) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      const text = sample.querySelector("code").textContent;
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(sample.querySelector("code"));
        button.textContent = "Selected";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    sample.append(button);
  });
  document.querySelectorAll(".tools").forEach((tools) => {
    const all = (open) => tools.parentElement.querySelectorAll(".fields details").forEach((it) => { it.open = open; });
    tools.hidden = false;
    tools.querySelector(".open").addEventListener("click", () => all(true));
    tools.querySelector(".close").addEventListener("click", () => all(false));
  });
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    opened.forEach((it) => { it.open = true; });
  });
  addEventListener("afterprint", () => opened.forEach((it) => { it.open = false; }));

  // Search: all words must be in the path or the description; paths come first.
  const search = $("search");
  if (!search) return;
  const most = 100;
  const [found, count] = [$("found"), $("count")];
  search.closest("form").hidden = false;
  let index = null;
  const entries = () => index ||= [...document.querySelectorAll(".fields li[id]")].map((it) => {
    const text = [...it.querySelectorAll(":scope > p, :scope > details > p, :scope > details > ul:not(.fields, .demands)")].map((p) => p.textContent).join(" ");
    return { id: it.id, path: it.id.toLowerCase(), text, lower: text.toLowerCase() };
  });
  const show = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    found.replaceChildren();
    found.hidden = words.length === 0;
    count.textContent = "";
    if (words.length === 0) return;
    const rank = (it) => {
      if (words.every((word) => it.path.endsWith("." + word))) return 0;
      if (words.every((word) => it.path.includes(word))) return 1;
      return words.every((word) => it.path.includes(word) || it.lower.includes(word)) ? 2 : 3;
    };
    const hits = entries().map((it) => [rank(it), it]).filter(([rank]) => rank < 3);
    hits.sort(([one, a], [other, b]) => one - other || a.path.length - b.path.length);
    count.textContent = `${hits.length} found`;
    for (const [, hit] of hits.slice(0, most)) {
      const item = document.createElement("li");
      const link = document.createElement("a");
      const text = document.createElement("span");
      link.href = "#" + hit.id;
      link.textContent = hit.id;
      text.textContent = hit.text;
      link.append(text);
      item.append(link);
      found.append(item);
    }
    found.hidden = hits.length === 0;
  };
  const close = () => { found.hidden = true; };
  search.addEventListener("input", show);
  search.addEventListener("focus", show);
  search.closest("form").addEventListener("submit", (event) => {
    event.preventDefault();
    found.querySelector("a")?.click();
  });
  found.addEventListener("click", close);
  addEventListener("click", (event) => { if (!event.target.closest(".search")) close(); });
  addEventListener("keydown", (event) => {
    const links = [...found.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    if (event.key === "Escape") close();
    else if (event.key === "/" && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) { event.preventDefault(); search.focus(); }
    else if (event.key === "ArrowDown" && !found.hidden && (at >= 0 || document.activeElement === search)) { event.preventDefault(); links[Math.min(at + 1, links.length - 1)]?.focus(); }
    else if (event.key === "ArrowUp" && at >= 0) { event.preventDefault(); (links[at - 1] || search).focus(); }
  });
})();
