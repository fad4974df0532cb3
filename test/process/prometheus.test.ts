import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { presentMetrics } from "../../src/features/metrics/present.ts";

/** What /metrics answers and docs/ holds for Prometheus and Grafana, judged by Prometheus's own tool. */
const DOCS = resolve(import.meta.dirname, "../../docs");
const dir = mkdtempSync(join(tmpdir(), "vigil-prometheus-"));
afterAll(() => rmSync(dir, { recursive: true }));

const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;

function promtool(args: string[], input = "") {
  const { status, stdout, stderr } = spawnSync("promtool", args, { input, encoding: "utf8" });
  return { status, said: stdout + stderr };
}

describe.skipIf(!hasPromtool)("promtool", () => {
  it("finds docs/prometheus.yml valid", () => {
    const { status, said } = promtool(["check", "config", "--syntax-only", join(DOCS, "prometheus.yml")]);
    expect(status, said).toBe(0);
  });

  it("understands every query of docs/grafana-dashboard.json", () => {
    const { panels } = JSON.parse(readFileSync(join(DOCS, "grafana-dashboard.json"), "utf8"));
    const queries: string[] = panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
      targets.map(({ expr }) => expr),
    );
    expect(queries.length).toBeGreaterThan(0);
    const rules = queries.map((expr, n) => ({ record: `panel:query${n}`, expr }));
    const file = join(dir, "rules.yml");
    writeFileSync(file, stringify({ groups: [{ name: "dashboard", rules }] }));
    const { status, said } = promtool(["check", "rules", file]);
    expect([status, said]).toEqual([0, expect.stringContaining(`${queries.length} rules found`)]);
  });

  it("reads the metrics, with any name of a monitor", () => {
    const now = 1_800_000_000_000;
    const monitor = { id: "a", type: "ssl", status: "up", check_group_id: "", agent_id: null } as const;
    const measured = {
      locations: [],
      certificate_expires_at: now,
      latency_ms: 1.5,
      durations: { up: 2, degraded: 1, down: 1, maintenance: 0 },
    };
    const names = ["Shop", 'a "quoted" \\ name', "two\nlines", "größer {x=1}"];
    const text = presentMetrics(
      names.map((name) => ({ ...monitor, ...measured, name })),
      now,
    );
    const { said } = promtool(["check", "metrics"], text);
    // The name is part of the interface.
    expect(said.trim()).toBe('monitor_cert_days_remaining use base unit "seconds" instead of "days"');
  });
});
