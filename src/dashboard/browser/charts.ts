import { forEachPart } from "./updates.ts";

const format = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });
const AXIS = {
  time: new Intl.DateTimeFormat(LOCALE, { timeStyle: "short", hourCycle: "h23" }),
  day: new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short" }),
};

/** Charts gain the reader's zone, and a crosshair with the figures of the step under the pointer. */
export function readCharts(): void {
  forEachPart((part) => {
    for (const label of part.querySelectorAll<SVGTextElement>("text[data-axis]")) {
      label.textContent = AXIS[label.dataset.axis === "day" ? "day" : "time"].format(Number(label.dataset.at));
    }
    const own = part instanceof HTMLElement && part.matches("figure[data-chart]") ? [part] : [];
    for (const figure of [...own, ...part.querySelectorAll<HTMLElement>("figure[data-chart]")]) addCrosshair(figure);
  });
}

interface Step {
  at: number;
  figures: string[];
}

function addCrosshair(figure: HTMLElement): void {
  const plot = figure.querySelector<HTMLElement>("[data-plot]");
  if (!plot || plot.querySelector(".crosshair")) return;
  const unit = figure.dataset.unit ?? "";
  const names = [...figure.querySelectorAll("thead th")].slice(1).map((cell) => cell.textContent ?? "");
  const steps = [...figure.querySelectorAll("tbody tr")].map((row): Step => {
    const cells = [...row.children].slice(1);
    const figures = cells.map((cell, n) => (cell.textContent ? `${names[n]} ${cell.textContent}${unit}` : ""));
    return {
      at: Date.parse(row.querySelector("time")?.dateTime ?? ""),
      figures: figures.filter((text) => text !== ""),
    };
  });
  const [from, to] = [Number(plot.dataset.from), Number(plot.dataset.to)];
  const line = document.createElement("div");
  line.className = "crosshair";
  const tip = document.createElement("div");
  tip.className = "tip";
  line.append(tip);
  line.hidden = true;
  plot.append(line);
  plot.addEventListener("pointermove", (event) => {
    const box = plot.getBoundingClientRect();
    const at = from + ((event.clientX - box.left) / box.width) * (to - from);
    const nearest = steps.reduce<Step | undefined>(
      (best, step) => (best && Math.abs(best.at - at) <= Math.abs(step.at - at) ? best : step),
      undefined,
    );
    if (!nearest) return;
    const share = to === from ? 0 : (nearest.at - from) / (to - from);
    line.hidden = false;
    line.style.insetInlineStart = `${share * 100}%`;
    line.classList.toggle("is-late", share > 0.5);
    tip.textContent = [format.format(nearest.at), ...nearest.figures].join("\n");
  });
  plot.addEventListener("pointerleave", () => {
    line.hidden = true;
  });
}
