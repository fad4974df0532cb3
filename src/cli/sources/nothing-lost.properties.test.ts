import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { FOREIGN_TEXTS, KUMA_TYPES, writeUptimeKuma } from "../../../test/support/other-tools.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { Imported } from "./draft.ts";
import { localFile } from "./local-file.ts";
import { TEXT_SOURCES } from "./registry.ts";
import { importUptimeKuma } from "./uptime-kuma.ts";

const dir = mkdtempSync(join(tmpdir(), "vigil-import-"));
afterAll(() => rmSync(dir, { recursive: true }));

const OPTIONS = { agent: "0190c0de-0000-7000-8000-000000000001" };

/** All records of a file, in their order, without those that stay behind as a whole, by a line of their own. */
function recordsIn(value: unknown, left: readonly string[], path = ""): Record<string, unknown>[] {
  if (left.includes(path)) return [];
  if (Array.isArray(value)) return value.flatMap((item, n) => recordsIn(item, left, `${path}[${n}]`));
  if (!isRecord(value)) return [];
  const members = Object.entries(value).flatMap(([key, item]) => recordsIn(item, left, `${path}.${key}`));
  return [value, ...members];
}

const LEFT: Record<string, string[]> = {
  alertmanager: [".route", ".receivers[1].wechat_configs[0]", ".inhibit_rules[0]"],
  // What pages of a list are, what is off, open or without an end, and subscribers.
  cachet: [
    ...["components", "component_groups", "incidents", "schedules"].map((list) => `.${list}.meta`),
    ...[".components.data[3]", ".incidents.data[2]", ".schedules.data[3]", ".subscribers[0]"],
  ],
  // What is open, subscribers, and the components as incidents repeat them.
  statuspage: [
    ".incidents[0]",
    ...[1, 2, 3, 4, 5].map((n) => `.incidents[${n}].components[0]`),
    ...[0, 1, 2, 3].map((n) => `.subscribers[${n}]`),
  ],
  kener: ["[7]", "[8]"],
  "better-stack": [".data[11].attributes", ".data[11].relationships"],
  "blackbox-exporter": [".scrape_configs[2]", ".modules.spare"],
  upptime: [".sites[3]", ".notifications[0]"],
};

const isNamed = ({ remarks }: Imported, field: string) => remarks.some(({ reason }) => reason.includes(field));

const field = fc.stringMatching(/^zz[a-z]{4,10}$/);
const value = fc.oneof(fc.integer(), fc.boolean(), fc.stringMatching(/^[a-z]{1,8}$/));

describe.each(Object.keys(TEXT_SOURCES))("a file of %s", (name) => {
  const text = FOREIGN_TEXTS[name] as string;
  const read = TEXT_SOURCES[name] as (typeof TEXT_SOURCES)[string];

  it("loses no field that a later version adds", () => {
    const left = LEFT[name] ?? [];
    const count = recordsIn(parse(text), left).length;
    fc.assert(
      fc.property(fc.nat(count - 1), field, value, fc.boolean(), (n, added, content, isNested) => {
        const file: unknown = parse(text);
        const record = recordsIn(file, left)[n] as Record<string, unknown>;
        record[isNested ? "zznested" : added] = isNested ? [{ [added]: content }] : content;
        const before = read(text, OPTIONS);
        const after = read(JSON.stringify(file), OPTIONS);
        // What a dictionary holds came: headers, context, labels.
        const hasCome = JSON.stringify(after.manifest).includes(added);
        expect(isNamed(after, added) || hasCome).toBe(true);
        expect(isNamed(before, added)).toBe(false);
      }),
      { numRuns: 40 },
    );
  });
});

describe("a database of uptime-kuma", () => {
  it("loses no column that a later version adds", () => {
    const ids = KUMA_TYPES.map(({ id }) => Number(id));
    fc.assert(
      fc.property(fc.constantFrom(...ids), field, fc.integer({ min: 2 }), (id, added, content) => {
        const file = join(dir, `kuma-${added}`);
        const extra = `ALTER TABLE monitor ADD COLUMN ${added} INTEGER DEFAULT 1`;
        const monitors = KUMA_TYPES.map((monitor) => (monitor.id === id ? { ...monitor, [added]: content } : monitor));
        writeUptimeKuma(file, "2.x", { monitors, extra });
        expect(isNamed(importUptimeKuma(localFile(file), OPTIONS), added)).toBe(true);
      }),
      { numRuns: 8 },
    );
  });
});
