import { describe, expect, it } from "vitest";
import { inEnglish } from "../../../test/support/english-words.ts";
import { toHtml } from "../../ui/document.tsx";
import { ChartFigure, niceTop } from "./chart.tsx";

const HOUR = 3_600_000;
const line = (name: string, values: number[]) => ({
  name,
  values: new Map(values.map((value, n) => [n * HOUR, value])),
});
const draw = (props: Partial<Parameters<typeof ChartFigure>[0]>) =>
  inEnglish(() => toHtml(ChartFigure({ caption: "Latency", unit: "ms", lines: [], ...props })));

describe("a chart", () => {
  it.each([
    [0, 4],
    [3, 4],
    [47, 80],
    [281, 400],
    [775, 800],
    [1001, 2000],
    [0.3, 0.4],
  ])("reaches from zero to a round value above %s", (value, top) => {
    expect(niceTop(value)).toBeCloseTo(top, 10);
  });

  it("is drawn from two measurements on", () => {
    expect(draw({ lines: [line("Median", [10])] })).toContain("begins with the second measurement");
    expect(draw({ lines: [line("Median", [0, 4])] })).toContain('d="M0 200L720 0"');
  });

  it.each([
    [[99.9, 99.5, 100], "99.2", "M0 25L360 125L720 0"],
    [[100, 100], "99.8", "M0 0L720 0"],
    [[40, 100], "20", "M0 150L720 0"],
    [[0, 100], "0", "M0 200L720 0"],
  ])("shows what %j lack of 100", (values, bottom, path) => {
    const html = draw({ lines: [line("Uptime", values)], isShare: true });
    expect(html).toContain(`<span>${bottom}</span></div>`);
    expect(html).toContain(path);
  });

  it("has a bar for a single count", () => {
    const html = draw({ lines: [line("Orders", [15])], hasBars: true });
    expect(html).toContain('class="chart-bar is-1" x="0" y="50" width="504" height="150"');
  });

  it("names with each line its latest figure, and none for a line without measurements", () => {
    const html = draw({ lines: [line("Median", [10, 12]), line("Tokyo", [])] });
    expect(html.replaceAll(/<[^>]+>/g, " ")).toMatch(/Median\s+12 ms\s+Tokyo\s+20\s/);
  });

  it.each([
    [HOUR, "00:00 00:10 00:20 00:30 00:40 00:50 01:00"],
    [23.75 * HOUR, "00:00 06:00 12:00 18:00"],
    [96 * HOUR, "1 Jan 2 Jan 3 Jan 4 Jan 5 Jan"],
    [30 * 24 * HOUR, "1 Jan 8 Jan 15 Jan 22 Jan 29 Jan"],
  ])("names round times or days of its axis without a script", (step, labels) => {
    const values = new Map([0, 1].map((n) => [n * step, 4]));
    const html = draw({ lines: [{ name: "Median", values }] });
    expect([...html.matchAll(/data-at="\d+">([^<]*)/g)].map(([, label]) => label).join(" ")).toBe(labels);
  });

  it("places the times of its axis where they are in the plot", () => {
    const values = new Map([0.5, 4.5].map((n) => [n * HOUR, 4]));
    const html = draw({ lines: [{ name: "Median", values }] });
    expect([...html.matchAll(/<text x="([^"]+)" y="1em" text-anchor="(\w+)"/g)].map((found) => found.slice(1))).toEqual(
      [
        ["12.5%", "middle"],
        ["37.5%", "middle"],
        ["62.5%", "middle"],
        ["87.5%", "middle"],
      ],
    );
  });

  it("writes a percentage in one piece", () => {
    const html = draw({ lines: [line("Uptime", [99.9, 99.5])], unit: "%", isShare: true });
    expect([html.includes(">99.5%</span>"), html.includes('data-unit="%"')]).toEqual([true, true]);
  });

  it("shows the times of its table in the zone of the reader", () => {
    expect(draw({ lines: [line("Median", [10, 12])] }).match(/<td><time [^>]*data-exact/g)).toHaveLength(2);
  });

  it("draws a line through steps of which the first is cut by the period", () => {
    const values = new Map([1.9, 2, 3, 4, 5].map((n) => [n * HOUR, 4]));
    const [, path = ""] = /chart-line is-1" d="([^"]+)"/.exec(draw({ lines: [{ name: "Uptime", values }] })) ?? [];
    expect(path.match(/M/g)).toHaveLength(1);
  });

  it("leaves a gap where steps are missing", () => {
    const values = new Map([0, 1, 2, 9, 10].map((n) => [n * HOUR, 4]));
    const [, path = ""] = /chart-line is-1" d="([^"]+)"/.exec(draw({ lines: [{ name: "Median", values }] })) ?? [];
    expect(path.match(/M/g)).toHaveLength(2);
  });

  it("draws the way to a step that still runs apart, until it is over", () => {
    const pathsAt = (now: number) =>
      [...draw({ lines: [line("Median", [4, 4, 2])], now }).matchAll(/class="(chart-line[^"]*)" d="([^"]+)"/g)].map(
        ([, name, path]) => [name, path],
      );
    expect(pathsAt(2.5 * HOUR)).toEqual([
      ["chart-line is-1", "M0 0L360 0"],
      ["chart-line is-1 is-unfinished", "M360 0L720 100"],
    ]);
    expect(pathsAt(3 * HOUR)).toEqual([["chart-line is-1", "M0 0L360 0L720 100"]]);
  });

  it("fills the band between its lines, shades outages, and has every figure in its table", () => {
    const lines = [line("Median", [1, 2, 3]), line("95th percentile", [2, 4, 4])];
    const html = draw({ lines, isBand: true, shaded: [{ from_at: HOUR, to_at: 1.5 * HOUR }] });
    expect(html).toContain('class="chart-band" d="M0 100L360 0L720 0L720 50L360 100L0 150Z"');
    expect(html).toContain('class="chart-outage" x="360" width="180"');
    expect(html.match(/<tr>/g)).toHaveLength(4);
  });
});
