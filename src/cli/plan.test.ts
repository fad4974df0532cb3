import { describe, expect, it } from "vitest";
import type { Change } from "./changes.ts";
import { parseManifest } from "./manifest.ts";
import type { Present } from "./matching.ts";
import { findDrift, formatMarkdown, formatPlan } from "./plan.ts";

const update = (before: Change["before"], body: Change["body"]): Change => {
  return { action: "update", kind: "monitors", key: "front", id: "1", fields: Object.keys(body), body, before };
};
const NO_DRIFT = { others: [], without_key: 0 };

describe("a plan", () => {
  it("shows values of what is no credential, and of all else that it differs", () => {
    const before = { interval: 300, tags: ["a"], target: "https://u:old@x.example", http_headers: null };
    const body = { interval: 60, tags: ["a", "b"], target: "https://u:new@x.example", http_headers: { A: "secret" } };
    expect(formatPlan([update(before, body)], NO_DRIFT)).toEqual([
      "~ monitors.front: interval 300 → 60, tags a → a b, target differs, http_headers differs",
    ]);
    expect(formatMarkdown([update(before, body)], NO_DRIFT)).not.toMatch(/secret|new@|old@/);
  });

  it("lets no value end the code or the cell that it stands in", () => {
    const change = update({ name: "a" }, { name: "x` | <img src=y>\n| z" });
    const row = formatMarkdown([change], NO_DRIFT).split("\n").at(-2);
    expect(row).toBe("| Change | `monitors.front` | `name` `a` → `x' \\| <img src=y> \\| z` |");
  });

  it("names what the file does not, and counts what people made", () => {
    const item = (id: string, external_key: string | null) => ({ id, external_key });
    const present: Present = {
      status_pages: [],
      groups: [item("5", "old")],
      monitors: [item("1", "front"), item("2", "gone"), item("3", null), item("4", null)],
      webhooks: [],
    };
    const manifest = parseManifest("version: 1\nmonitors:\n  front: { type: heartbeat }\n", {});
    const changes: Change[] = [{ ...update({}, { name: "By hand" }), id: "4" }];
    const drift = findDrift(manifest, present, changes);
    expect(drift).toEqual({
      others: [
        { kind: "groups", key: "old" },
        { kind: "monitors", key: "gone" },
      ],
      without_key: 1,
    });
    expect(formatPlan([], drift)).toEqual([
      "? groups.old: not in the file",
      "? monitors.gone: not in the file",
      "? 1 without a key: made by people",
    ]);
    expect(formatMarkdown([], drift)).toMatch(/^### Vigil: no changes\n[\s\S]*- `monitors.gone`\n[\s\S]*: 1\.\n$/);
  });
});
