/**
 * What a public page gains with a script: days of a bar by pointer, touch and arrow keys, a filter, the visitor's own time
 * zone and colour scheme, a link to pass on, the subscribe dialog, and a page that follows changes. Everything else works without it.
 */
export const SCRIPT_TEXT = `(() => {
const doc = document, root = doc.documentElement;
const all = (selector, from = doc) => [...from.querySelectorAll(selector)];
const remembered = (name, value) => {
  try { return value === undefined ? localStorage.getItem(name) : localStorage.setItem(name, value); } catch { return null; }
};

const words = JSON.parse(doc.currentScript.dataset.words);
const isRtl = root.dir === "rtl";
const plurals = new Intl.PluralRules(words.locale);

const scheme = remembered("vigil-theme");
if (scheme) root.dataset.theme = scheme;

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const MOMENT = { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
const own = new Intl.DateTimeFormat(words.locale, MOMENT);
const dated = new Intl.DateTimeFormat(words.locale, { day: "numeric", month: "short", year: "numeric" });
const clock = new Intl.DateTimeFormat(words.locale, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const spaced = (name) => name.replaceAll("_", " ");
// What the document says in its own zone stays beside it, so that a visitor can have either.
const localize = () => {
  const note = doc.querySelector("[data-zone]"), toggle = doc.querySelector("[data-zone-toggle]");
  if (!note || note.dataset.zone === zone) return;
  const there = note.dataset.zone, isThere = remembered("vigil-zone") === "page";
  for (const time of all("time[datetime*='T']")) {
    const isLasting = time.matches("[data-lasting]");
    const text = time.dataset.text ??= isLasting ? time.title : time.textContent;
    const [at, after] = [new Date(time.dateTime), new Date(time.dataset.after)];
    if (isLasting) { time.title = isThere ? text : own.format(at); continue; }
    const isOneDay = time.dataset.after && dated.format(at) === dated.format(after);
    time.title = (isThere ? own.format(at) : text) + " (" + (isThere ? zone : there) + ")";
    time.textContent = isThere ? text : (isOneDay ? clock : own).format(at);
  }
  note.dataset.text ??= note.textContent;
  note.textContent = isThere ? note.dataset.text : spaced(words.zone.replace("{own}", zone).replace("{page}", there));
  toggle.hidden = false;
  toggle.lastElementChild.textContent = spaced(words.show_zone.replace("{zone}", isThere ? zone : there));
};
// It is true again, in whichever zone it is shown.
const date = (time, at) => {
  const timeZone = doc.querySelector("[data-zone]")?.dataset.zone;
  time.dateTime = at.toISOString();
  delete time.dataset.text;
  time.textContent = new Intl.DateTimeFormat(words.locale, { ...MOMENT, timeZone }).format(at);
};

const share = async ({ lastElementChild: label }) => {
  const url = doc.querySelector("link[rel=canonical]")?.href ?? location.href;
  try {
    if (navigator.share) return await navigator.share({ title: doc.title, url });
    await navigator.clipboard.writeText(url);
    const name = label.textContent;
    label.textContent = said.textContent = words.copied;
    setTimeout(() => { label.textContent = name; }, 2000);
  } catch {}
};

const ages = () => {
  const { d, h, min } = words.units;
  for (const time of all("time[data-lasting]")) {
    const minutes = Math.floor((Date.now() - Date.parse(time.dateTime)) / 6e4);
    const [big, small] = minutes < 60 ? [[minutes, min]] : minutes < 1440 ? [[Math.floor(minutes / 60), h], [minutes % 60, min]] : [[Math.floor(minutes / 1440), d], [Math.floor(minutes / 60) % 24, h]];
    time.textContent = minutes < 1 ? words.moment : big.join(" ") + (small?.[0] ? " " + small.join(" ") : "");
  }
};

const dayName = new Intl.DateTimeFormat(words.locale, { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
const tip = doc.createElement("div"), cursor = doc.createElement("div");
tip.className = "tip";
tip.role = "status";
cursor.className = "cursor";
tip.hidden = cursor.hidden = true;
const countOf = (bars) => bars.viewBox.baseVal.width;
const firstShown = (bars) => countOf(bars) - Math.round(bars.closest(".bar").offsetWidth / bars.getBoundingClientRect().width * countOf(bars));
const showDay = (bars, n) => {
  const count = countOf(bars), bar = bars.closest(".bar");
  const day = Math.max(firstShown(bars), Math.min(count - 1, n));
  const run = all("rect[class]", bars).find((each) => {
    const from = +each.getAttribute("x");
    return day >= from && day < from + +each.getAttribute("width");
  });
  const said = run?.querySelector("title")?.textContent;
  const date = dayName.format(Date.parse(bars.dataset.from) + day * 864e5);
  bars.dataset.day = day;
  const lines = (said ?? date + "\\n" + (run?.classList.contains("day-none") ? words.none : words.good)).split("\\n");
  tip.replaceChildren(...lines.map((text) => {
    const line = doc.createElement("p");
    line.dir = "auto";
    line.textContent = text;
    return line;
  }));
  bar.append(tip, cursor);
  tip.hidden = cursor.hidden = false;
  const width = bar.offsetWidth, step = bars.getBoundingClientRect().width / count;
  const center = width - (count - day - .5) * step;
  tip.style.insetInlineStart = Math.max(0, Math.min(width - tip.offsetWidth, center - tip.offsetWidth / 2)) + "px";
  cursor.style.insetInlineStart = center - 1 + "px";
};
const dayAt = (bars, event) => {
  const box = bars.getBoundingClientRect();
  const share = (event.clientX - box.left) / box.width;
  return Math.floor((isRtl ? 1 - share : share) * countOf(bars));
};
const hideDay = () => { tip.hidden = cursor.hidden = true; };
doc.addEventListener("pointermove", (event) => {
  if (event.pointerType === "touch") return;
  const bars = event.target.closest?.(".bars");
  if (bars) showDay(bars, dayAt(bars, event));
  else if (!doc.activeElement?.matches(".bars")) hideDay();
});
doc.addEventListener("click", (event) => {
  const bars = event.target.closest?.(".bars");
  if (bars) showDay(bars, dayAt(bars, event));
  else hideDay();
  for (const menu of all(".menu[open]")) if (!menu.contains(event.target)) menu.open = false;
});
doc.addEventListener("focusin", (event) => {
  if (!event.target.matches?.(".bars")) return hideDay();
  showDay(event.target, countOf(event.target) - 1);
});
doc.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && event.target.closest?.(".menu[open]");
  if (menu) { menu.open = false; menu.querySelector("summary").focus(); }
  const bars = event.target.closest?.(".bars");
  if (!bars) return;
  const last = countOf(bars) - 1, day = +bars.dataset.day;
  const back = isRtl ? 1 : -1;
  const to = { ArrowLeft: day + back, ArrowRight: day - back, Home: 0, End: last, PageUp: day - 7, PageDown: day + 7 }[event.key];
  if (event.key === "Escape") hideDay();
  if (to === undefined) return;
  event.preventDefault();
  showDay(bars, to);
});

const filter = () => {
  const box = doc.querySelector("[data-filter] input");
  if (!box) return;
  const wanted = box.value.trim().toLowerCase();
  let left = 0;
  for (const monitor of all(".monitor")) {
    const fits = monitor.querySelector("h3").textContent.toLowerCase().includes(wanted);
    monitor.hidden = !fits;
    if (fits) left += 1;
  }
  for (const section of all("[data-section]")) {
    const some = section.querySelector(".monitor:not([hidden])");
    section.hidden = !some;
    if (some && wanted && section.tagName === "DETAILS") section.open = true;
  }
  doc.querySelector("[data-filter] [role=status]").textContent = wanted ? (words.found[plurals.select(left)] ?? words.found.other).replace("{n}", left) : "";
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
  if (event.target.closest("[data-zone-toggle]")) {
    remembered("vigil-zone", remembered("vigil-zone") === "page" ? "own" : "page");
    localize();
  }
  const sharing = event.target.closest("[data-share]");
  if (sharing) share(sharing);
});

// Neither is there without https.
const canShare = Boolean(navigator.share ?? navigator.clipboard);
const prepare = () => {
  for (const part of all("[data-scripted]")) part.hidden = part.matches("[data-share]") && !canShare;
  for (const bars of all(".bars")) bars.tabIndex = 0;
  localize();
  filter();
};
prepare();

const live = doc.querySelector("[data-live]")?.dataset.live;
const said = doc.createElement("p");
said.className = "unseen";
said.role = "status";
doc.body.append(said);
let tag = "", wanted = 0, socket, isAlive = false, tries = 0;
const keyOf = (element) => element.id ? "#" + CSS.escape(element.id) : element.matches("a[href]") ? 'a[href="' + CSS.escape(element.getAttribute("href")) + '"]' : "";
const swap = (html) => {
  const fresh = new DOMParser().parseFromString(html, "text/html");
  const [main, other] = [doc.querySelector("main"), fresh.querySelector("main")];
  if (!main || !other) return;
  const typed = main.querySelector("[data-filter] input")?.value ?? "";
  const opened = new Map(all("details[id]", main).map((part) => [part.id, part.open]));
  const focused = main.contains(doc.activeElement) ? keyOf(doc.activeElement) : "";
  const headline = main.querySelector(".hero h2, .headline")?.textContent;
  main.replaceWith(other);
  doc.title = fresh.title;
  const [icon, newIcon] = [doc, fresh].map((each) => each.querySelector("link[rel=icon]"));
  if (icon && newIcon && icon.href !== newIcon.href) icon.replaceWith(newIcon);
  for (const part of all("details[id]", other)) if (opened.has(part.id)) part.open = opened.get(part.id);
  const box = other.querySelector("[data-filter] input");
  if (box) box.value = typed;
  prepare();
  if (focused) other.querySelector(focused)?.focus({ preventScroll: true });
  const now = other.querySelector(".hero h2, .headline")?.textContent;
  if (now && now !== headline) said.textContent = now;
};
const isBusy = () => doc.hidden || doc.querySelector("dialog[open], main input:focus, main .bars:focus");
let failures = 0, currentAt = Date.now();
const answered = () => {
  failures = 0;
  currentAt = Date.now();
  doc.getElementById("cut")?.remove();
};
// After two attempts without an answer the page says how old it is, and goes on trying.
const failed = () => {
  failures += 1;
  setTimeout(refresh, failures < 2 ? 3000 : 10000);
  if (failures < 2 || doc.getElementById("cut")) return;
  const strip = doc.createElement("p");
  strip.id = "cut";
  strip.className = "stale";
  strip.role = "status";
  strip.textContent = words.stale + " " + words.updated.replace("{time}", own.format(currentAt));
  doc.querySelector("main")?.prepend(strip);
};
const refresh = async () => {
  if (!live || isBusy()) return;
  try {
    const url = new URL(location.href);
    if (wanted) url.searchParams.set("v", wanted);
    const response = await fetch(url, { cache: "no-cache" });
    if (response.status === 401 || response.status === 404) return location.reload();
    const next = response.headers.get("etag");
    if (!response.ok) return failed();
    answered();
    if (next === tag) return;
    const html = await response.text();
    const version = +(/ data-version="(\\d+)"/.exec(html)?.[1] ?? 0);
    if (version < wanted && tries++ < 5) return setTimeout(refresh, 300);
    if (isBusy()) return;
    tries = 0;
    tag = next ?? "";
    wanted = version;
    swap(html);
  } catch { failed(); }
};
const connect = () => {
  if (!live || doc.hidden || socket) return;
  try { socket = new WebSocket(new URL(live, location.href.replace(/^http/, "ws"))); } catch { return; }
  const own = socket;
  own.onopen = () => { isAlive = true; };
  own.onmessage = ({ data }) => {
    isAlive = true;
    answered();
    if (data === "pong") return;
    wanted = Math.max(wanted, JSON.parse(data).version);
    tries = 0;
    // Thousands of open pages do not ask in the same moment.
    setTimeout(refresh, Math.random() * 800);
  };
  own.onclose = () => { if (socket === own) socket = undefined; };
};
const tick = () => {
  const isOpen = socket?.readyState === 1 && isAlive;
  const shown = +(doc.querySelector("main")?.dataset.version ?? 0);
  if (!isOpen) { socket?.close(); socket = undefined; refresh(); connect(); return; }
  if (wanted > shown) refresh();
  // Nothing has changed since: the page is as of now.
  const time = doc.querySelector(".as-of time");
  if (time && !doc.querySelector(".stale")) { date(time, new Date()); localize(); ages(); }
  isAlive = false;
  socket.send("ping");
};
if (live) {
  connect();
  setInterval(tick, 60000);
  doc.addEventListener("visibilitychange", () => { if (!doc.hidden) { refresh(); connect(); } });
  addEventListener("online", () => { refresh(); connect(); });
  addEventListener("offline", refresh);
}
})();
`;
