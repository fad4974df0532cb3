/**
 * What a public page gains with a script: days of a bar by pointer, touch and arrow keys, a filter, the visitor's own time
 * zone and colour scheme, the subscribe dialog, and a page that follows changes. Everything else works without it.
 */
export const SCRIPT_TEXT = `(() => {
const doc = document, root = doc.documentElement;
const all = (selector, from = doc) => [...from.querySelectorAll(selector)];
const remembered = (name, value) => {
  try { return value === undefined ? localStorage.getItem(name) : localStorage.setItem(name, value); } catch { return null; }
};

const scheme = remembered("vigil-theme");
if (scheme) root.dataset.theme = scheme;

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const own = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const localize = () => {
  const note = doc.querySelector("[data-zone]");
  if (!note || note.dataset.zone === zone) return;
  for (const time of all("time[datetime*='T']")) {
    if (time.title) continue;
    time.title = time.textContent + " (" + note.dataset.zone + ")";
    time.textContent = own.format(new Date(time.dateTime));
  }
  note.textContent = "Times are in your time zone, " + zone.replaceAll("_", " ") + "; days are those of " + note.dataset.zone.replaceAll("_", " ") + ".";
};

const dayName = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
const tip = doc.createElement("div");
tip.className = "tip";
tip.role = "status";
tip.hidden = true;
const showDay = (bars, n) => {
  const count = bars.viewBox.baseVal.width;
  const day = Math.max(0, Math.min(count - 1, n));
  const run = all("rect[class]", bars).find((each) => {
    const from = +each.getAttribute("x");
    return day >= from && day < from + +each.getAttribute("width");
  });
  const said = run?.querySelector("title")?.textContent;
  const date = dayName.format(Date.parse(bars.dataset.from) + day * 864e5);
  bars.dataset.day = day;
  tip.textContent = said ?? date + (run?.classList.contains("day-none") ? ": no data" : ": no downtime");
  bars.after(tip);
  tip.hidden = false;
  const width = bars.getBoundingClientRect().width;
  const center = (day + .5) / count * width;
  tip.style.insetInlineStart = Math.max(0, Math.min(width - tip.offsetWidth, center - tip.offsetWidth / 2)) + "px";
};
const dayAt = (bars, event) => {
  const box = bars.getBoundingClientRect();
  return Math.floor((event.clientX - box.left) / box.width * bars.viewBox.baseVal.width);
};
const hideDay = () => { tip.hidden = true; };
doc.addEventListener("pointermove", (event) => {
  const bars = event.target.closest?.(".bars");
  if (bars) showDay(bars, dayAt(bars, event));
  else if (!doc.activeElement?.matches(".bars")) hideDay();
});
doc.addEventListener("click", (event) => {
  const bars = event.target.closest?.(".bars");
  if (bars) showDay(bars, dayAt(bars, event));
});
doc.addEventListener("focusin", (event) => {
  if (!event.target.matches?.(".bars")) return hideDay();
  showDay(event.target, event.target.viewBox.baseVal.width - 1);
});
doc.addEventListener("keydown", (event) => {
  const bars = event.target.closest?.(".bars");
  if (!bars) return;
  const last = bars.viewBox.baseVal.width - 1, day = +bars.dataset.day;
  const to = { ArrowLeft: day - 1, ArrowRight: day + 1, Home: 0, End: last, PageUp: day - 7, PageDown: day + 7 }[event.key];
  if (event.key === "Escape") hideDay();
  if (to === undefined) return;
  event.preventDefault();
  showDay(bars, to);
});

const filter = () => {
  const box = doc.querySelector("[data-filter] input");
  if (!box) return;
  const words = box.value.trim().toLowerCase();
  let left = 0;
  for (const monitor of all(".monitor")) {
    const fits = monitor.querySelector("h3").textContent.toLowerCase().includes(words);
    monitor.hidden = !fits;
    if (fits) left += 1;
  }
  for (const section of all("[data-section]")) {
    const some = section.querySelector(".monitor:not([hidden])");
    section.hidden = !some;
    if (some && words && section.tagName === "DETAILS") section.open = true;
  }
  doc.querySelector("[data-filter] [role=status]").textContent = words ? left + (left === 1 ? " service" : " services") : "";
};
doc.addEventListener("input", (event) => { if (event.target.closest("[data-filter]")) filter(); });

doc.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-dialog]");
  const dialog = opener && doc.getElementById(opener.dataset.dialog);
  if (dialog?.showModal) { event.preventDefault(); dialog.showModal(); }
  if (event.target.closest("[data-close]")) event.target.closest("dialog").close();
  if (event.target.closest("[data-theme-toggle]")) {
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
    remembered("vigil-theme", root.dataset.theme);
  }
});

const prepare = () => {
  for (const part of all("[data-scripted]")) part.hidden = false;
  for (const bars of all(".bars")) bars.tabIndex = 0;
  localize();
  filter();
};
prepare();

let tag = "";
const refresh = async () => {
  if (doc.hidden || doc.querySelector("dialog[open]")) return;
  try {
    const response = await fetch(location.href, { cache: "no-cache" });
    const next = response.headers.get("etag");
    if (!response.ok || next === tag) return;
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    const [main, other] = [doc.querySelector("main"), fresh.querySelector("main")];
    if (!main || !other || main.querySelector("input:focus, .bars:focus")) return;
    tag = next ?? "";
    const words = main.querySelector("[data-filter] input")?.value ?? "";
    const opened = new Map(all("details[id]", main).map((part) => [part.id, part.open]));
    main.replaceWith(other);
    doc.title = fresh.title;
    for (const part of all("details[id]", other)) if (opened.has(part.id)) part.open = opened.get(part.id);
    const box = other.querySelector("[data-filter] input");
    if (box) box.value = words;
    prepare();
  } catch {}
};
if (doc.querySelector("[data-live]")) {
  setInterval(refresh, 60000);
  doc.addEventListener("visibilitychange", refresh);
}
})();
`;
