import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { FOREIGN_TEXTS, KUMA_TYPES, LARGE_TEXTS, writeUptimeKuma } from "../../../test/support/other-tools.ts";
import { MonitorCreate } from "../../contract/monitor.ts";
import { MONITOR_TYPES } from "../../contract/monitor-values.ts";
import { WebhookCreate } from "../../contract/webhook.ts";
import { fieldNamesOf, monitorType, parseTarget, resultSourceOf } from "../../probes/registry.ts";
import { formatManifest } from "../export.ts";
import { parseManifest } from "../manifest.ts";
import { Draft, type ImportedMonitor } from "./draft.ts";
import { localFile } from "./local-file.ts";
import { SOURCES } from "./registry.ts";

const dir = mkdtempSync(join(tmpdir(), "vigil-import-"));
afterAll(() => rmSync(dir, { recursive: true }));

const AGENT = "0190c0de-0000-7000-8000-000000000001";
/** What our file says in place of ids. */
const OF_THE_FILE = ["status_page", "group", "children", "push_token"];

function fileOf(source: string): string {
  const file = join(dir, source);
  if (source === "uptime-kuma") writeUptimeKuma(file, "2.x", { monitors: KUMA_TYPES });
  else writeFileSync(file, LARGE_TEXTS[source] ?? (FOREIGN_TEXTS[source] as string));
  return file;
}

/** What the service would say against it, or null. */
function problemOf(monitor: ImportedMonitor): unknown {
  const { type, target } = monitor;
  const settings = Object.entries(monitor).filter(([field]) => !OF_THE_FILE.includes(field));
  const known = [...Object.keys(MonitorCreate.shape), ...fieldNamesOf(type)];
  const unknown = settings.map(([field]) => field).filter((field) => !known.includes(field));
  if (unknown.length > 0) return { unknown };
  const body = MonitorCreate.safeParse(Object.fromEntries(settings));
  if (!body.success) return body.error.issues;
  const fields = monitorType(type).options.safeParse({ interval: 60, ...body.data });
  if (!fields.success) return fields.error.issues;
  const read = typeof target === "string" ? parseTarget(type, target) : null;
  return read === null || read.ok ? null : read.reason;
}

describe.each(Object.keys(SOURCES))("what comes from %s", (source) => {
  const imported = SOURCES[source]?.(localFile(fileOf(source)), { agent: AGENT });
  const manifest = parseManifest(formatManifest(imported?.manifest ?? {}), { TOKEN: "t" });

  it("is what the service accepts", () => {
    const problems = Object.entries(manifest.monitors).map(([key, monitor]) => [key, problemOf(monitor)]);
    expect(problems.filter(([, problem]) => problem !== null)).toEqual([]);
    for (const webhook of Object.values(manifest.webhooks))
      expect(WebhookCreate.safeParse(webhook).error).toBeUndefined();
    expect(Object.keys({ ...manifest.monitors, ...manifest.webhooks })).not.toEqual([]);
  });
});

describe("a monitor that only an agent can run", () => {
  it("gets the agent that was named, and stays behind without one", () => {
    const agentOnly = MONITOR_TYPES.filter((type) => {
      const fields = monitorType(type).options.safeParse({ interval: 60 });
      return fields.success && resultSourceOf(type, fields.data) === "agent";
    });
    const imported = ["ping", "icmp", "udp", "docker", "rabbitmq", "kafka", "mqtt", "snmp"] as const;
    for (const type of imported) {
      expect(agentOnly).toContain(type);
      const without = new Draft({});
      expect(without.addMonitor("a", { type }, without.about("a"))).toBeNull();
      const draft = new Draft({ agent: AGENT });
      draft.addMonitor("a", { type }, draft.about("a"));
      expect(draft.manifest.monitors.a?.agent_id).toBe(AGENT);
    }
  });
});
