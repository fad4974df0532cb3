import { describe, expect, it } from "vitest";
import type { SlaSummary } from "../contract/sla.ts";
import { layOutSlaReport, type Mark } from "./layout.ts";

const FIGURES = {
  uptime_percentage: 99.95,
  downtime_seconds: 1300,
  degraded_seconds: 0,
  maintenance_seconds: 7200,
  outages: 1,
  mttr_seconds: 1300,
  mtbf_seconds: 200_000,
  meets_target: true,
  error_budget_seconds: 2592,
  error_budget_remaining_seconds: 1292,
};
const HEAD = {
  page_name: "Northwind",
  logo: null,
  brand_color: null,
  timezone: "Europe/Berlin",
  policy_name: null,
  exclude_maintenance: true,
  degraded_counts_as_downtime: false,
  made_at: Date.UTC(2026, 10, 21),
};

function summaryOf(monitors: number, figures: Partial<typeof FIGURES> = {}): SlaSummary {
  const overall = { ...FIGURES, ...figures };
  return {
    status_page_id: "page",
    period: { from: "2026-10-31T23:00:00.000Z", to: "2026-11-21T00:00:00.000Z" },
    target_percentage: 99.9,
    overall,
    monitors: Array.from({ length: monitors }, (_, n) => ({
      monitor_id: String(n),
      name: `Monitor ${n}`,
      target_percentage: 99.9,
      ...overall,
    })),
  };
}

const wordsOf = (marks: readonly Mark[]) => marks.flatMap((mark) => (mark.kind === "text" ? [mark.text] : []));
const layOut = (summary: SlaSummary) => layOutSlaReport(summary, HEAD);

describe("layOutSlaReport", () => {
  it("says whose time in which zone it is about, and how it was measured", () => {
    const words = wordsOf(layOut(summaryOf(1))[0]?.marks ?? []);
    expect(words).toEqual(
      expect.arrayContaining([
        "Northwind",
        "1 Nov 2026, 00:00 to 21 Nov 2026, 01:00 (Europe/Berlin)",
        "Measured without a policy, maintenance excluded, degraded counts as uptime",
        "99.95%",
        "21 min 40 s",
        "in 1 outage",
        "Target met",
        "21 min 40 s used of 43 min 12 s, summed over monitors",
        "21 min 32 s left",
        "met",
        "Page 1 of 1",
      ]),
    );
  });

  it.each([
    [0, 1],
    [1, 1],
    [12, 1],
    [13, 2],
    [500, 14],
  ])("lists each of %i monitors once, on %i pages", (count, pageCount) => {
    const pages = layOut(summaryOf(count));
    expect(pages.length).toBe(pageCount);
    const names = pages.flatMap(({ marks }) =>
      wordsOf(marks.filter((mark) => mark.kind === "text" && mark.width === 140)),
    );
    expect(names).toEqual(Array.from({ length: count }, (_, n) => `Monitor ${n}`));
  });

  it("repeats the heads on each page, and keeps everything inside the paper and above the foot", () => {
    const pages = layOut(summaryOf(100));
    for (const [n, { marks }] of pages.entries()) {
      const words = wordsOf(marks);
      expect(words).toEqual(expect.arrayContaining(["Northwind", "Monitor", "Budget left", `Page ${n + 1} of 4`]));
      for (const mark of marks) {
        const isFoot = mark.y >= 806;
        expect(mark.x).toBeGreaterThanOrEqual(0);
        expect(mark.y).toBeLessThan(isFoot ? 842 : 796);
      }
    }
  });

  it.each([
    ["wide", { width: 1000, height: 100 }, { width: 160, height: 16 }],
    ["high", { width: 50, height: 100 }, { width: 20, height: 40 }],
    ["small", { width: 16, height: 16 }, { width: 40, height: 40 }],
  ])("shows a %s logo above the name, undistorted", (_name, logo, size) => {
    const marks = layOutSlaReport(summaryOf(1), { ...HEAD, logo })[0]?.marks ?? [];
    expect(marks.filter(({ kind }) => kind === "logo")).toEqual([{ kind: "logo", x: 40, y: 34, ...size }]);
    expect(marks.find((mark) => mark.kind === "text" && mark.text === "Northwind")?.y).toBeGreaterThan(74);
  });

  it("shows what was missed and overdrawn, and what has no data", () => {
    const missed = wordsOf(
      layOut(summaryOf(1, { meets_target: false, error_budget_remaining_seconds: -90_061, uptime_percentage: 97 }))[0]
        ?.marks ?? [],
    );
    expect(missed).toEqual(
      expect.arrayContaining(["Target missed", "missed", "overdrawn by 1 d 1 h", "-1 d 1 h", "97%"]),
    );
    const unknown = { ...summaryOf(1), monitors: [] };
    expect(wordsOf(layOut(unknown)[0]?.marks ?? [])).toContain("There are no monitors on this page.");
  });
});
