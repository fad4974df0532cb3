import uPlot from "uplot";
import { forEachPart } from "./updates.ts";

/** Over more than two days the axis names days. */
const LONG_S = 2 * 86_400;
const time = new Intl.DateTimeFormat("en-GB", { timeStyle: "short", hourCycle: "h23" });
const date = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const format = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });

/**
 * Draws every `figure[data-chart]` from the table inside it, which stays as the fallback and for screen readers. The first
 * column holds instants, each further one a series; the heading of a column is its name, `data-unit` its unit.
 */
forEachPart((part) => {
  const figures = part instanceof HTMLElement && part.matches("figure[data-chart]") ? [part] : [];
  for (const figure of [...figures, ...part.querySelectorAll<HTMLElement>("figure[data-chart]")]) draw(figure);
});

const HEIGHT = 220;

function draw(figure: HTMLElement): void {
  const place = figure.querySelector<HTMLElement>(".plot");
  const table = figure.querySelector("table");
  if (!place || !table) return;
  const names = [...table.querySelectorAll("thead th")].map((cell) => cell.textContent ?? "");
  const rows = [...table.querySelectorAll("tbody tr")];
  const columns = names.map((_name, n) => rows.map((row) => readCell(row.children[n], n)));
  const [times = []] = columns;
  if (times.length < 2) return;
  const unit = figure.dataset.unit ?? "";
  const paths = figure.dataset.chart === "bars" ? uPlot.paths.bars?.({ size: [0.7] }) : undefined;
  const color = (name: string) => resolveColor(place, name);
  const spanOf = ([first = 0, ...others]: readonly (number | null)[]) => (others.at(-1) ?? first ?? 0) - (first ?? 0);
  const clock = spanOf(times) > LONG_S ? date : time;
  const axis = () => ({
    stroke: color("--quiet"),
    grid: { stroke: color("--line"), width: 1 },
    ticks: { show: false },
  });
  const options = (): uPlot.Options => ({
    width: place.clientWidth,
    height: HEIGHT,
    cursor: { y: false, points: { size: 6 } },
    series: [
      { value: (_u, at) => (at === null ? "–" : format.format(at * 1000)) },
      ...names.slice(1).map((label, n) => ({
        label,
        stroke: color(`--series-${n + 1}`),
        width: 1.5,
        ...(paths && { paths, fill: color(`--series-${n + 1}`) }),
        points: { show: false },
        value: (_u: uPlot, value: number | null) => (value === null ? "–" : `${value} ${unit}`.trim()),
      })),
    ],
    axes: [
      { ...axis(), values: (_u, ticks) => ticks.map((tick) => clock.format(tick * 1000)) },
      { ...axis(), size: 64, values: (_u, ticks) => ticks.map((tick) => `${tick} ${unit}`.trim()) },
    ],
  });
  const data = columns as uPlot.AlignedData;
  let plot = new uPlot(options(), data, place);
  figure.dataset.drawn = "";
  const redraw = () => {
    if (!place.isConnected) return;
    plot.destroy();
    plot = new uPlot(options(), data, place);
  };
  document.addEventListener("vigil:theme", redraw);
  new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: HEIGHT })).observe(place);
}

/** A canvas knows neither custom properties nor `light-dark()`: an element that has the colour says what it is here. */
function resolveColor(place: HTMLElement, name: string): string {
  const sample = document.createElement("span");
  sample.style.color = `var(${name})`;
  place.append(sample);
  const { color } = getComputedStyle(sample);
  sample.remove();
  return color;
}

/** Instants in seconds, as uPlot counts them; an empty cell is a gap. */
function readCell(cell: Element | undefined, column: number): number | null {
  const text = cell?.querySelector("time")?.dateTime ?? cell?.textContent ?? "";
  if (column === 0) return Date.parse(text) / 1000;
  const value = Number.parseFloat(text);
  return Number.isNaN(value) ? null : value;
}
