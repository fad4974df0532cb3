import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { presentMetrics } from "../../src/features/metrics/present.ts";

/** What docs/ holds for Prometheus and Grafana fits what /metrics answers. */
const DOCS = join(import.meta.dirname, "../../docs");
const read = (file: string) => readFileSync(join(DOCS, file), "utf8");

const NOW = 1_800_000_000_000;
const text = presentMetrics(
  [
    {
      id: "a",
      name: "Shop",
      type: "ssl",
      status: "up",
      check_group_id: "",
      agent_id: null,
      locations: [],
      certificate_expires_at: NOW,
      latency_ms: 1,
      durations: { up: 1, degraded: 0, down: 0, maintenance: 0 },
    },
  ],
  NOW,
);
const names = [...text.matchAll(/^# TYPE (\w+)/gm)].map((match) => match[1] ?? "");
const labels = [...(text.match(/\{.*\}/)?.[0].matchAll(/(\w+)=/g) ?? [])].map((match) => match[1] ?? "");

describe("docs/metrics.md", () => {
  it("names every metric and label, and no other", () => {
    const rows = [...read("metrics.md").matchAll(/^\| `(\w+)` \|/gm)].map((match) => match[1] ?? "");
    expect(rows).toEqual(names);
    for (const label of labels) expect(read("metrics.md")).toContain(`\`${label}\``);
  });
});

describe("docs/prometheus.yml", () => {
  it("scrapes /metrics with a bearer credential from a file", () => {
    expect(parse(read("prometheus.yml"))).toMatchObject({
      scrape_configs: [{ metrics_path: "/metrics", authorization: { type: "Bearer" } }],
    });
  });
});

describe("docs/grafana-dashboard.json", () => {
  const dashboard = JSON.parse(read("grafana-dashboard.json"));
  const queries: string[] = [
    ...dashboard.panels.flatMap((panel: { targets: { expr: string }[] }) => panel.targets.map(({ expr }) => expr)),
    ...dashboard.templating.list.map(({ query }: { query: string }) => query),
  ];

  it("asks for every metric, by names and labels that exist", () => {
    const words = queries.flatMap((query) => query.replace(/"[^"]*"/g, "").match(/\bmonitor_\w+/g) ?? []);
    expect(words.filter((word) => ![...names, ...labels].includes(word))).toEqual([]);
    expect(names.filter((name) => !words.includes(name))).toEqual([]);
  });
});
