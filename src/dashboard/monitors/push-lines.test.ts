import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { inEnglish } from "../../../test/support/english-words.ts";
import { heartbeatLines, metricsLines } from "./push-lines.ts";

const ADDRESS = "https://vigil.test/heartbeat/m1?token=hb_abc&message=100%25";
const heartbeats = () => inEnglish(() => heartbeatLines(ADDRESS));
const textOf = (label: string) => heartbeats().find((line) => line.label.startsWith(label))?.text ?? "";

/** What a shell makes of the line, `curl` replaced by a program that prints its arguments. */
function argumentsOf(line: string): string[] {
  const script = `curl() { for each in "$@"; do printf '%s\\n' "$each"; done; }\n${line}`;
  return execFileSync("sh", ["-c", script], { encoding: "utf8" }).trim().split("\n");
}

describe("lines that send a heartbeat", () => {
  it("pass the whole address to curl", () => {
    expect(argumentsOf(textOf("curl"))).toContain(ADDRESS);
  });

  it("escape what cron and systemd read as their own", () => {
    expect(textOf("cron")).toContain("100\\%25'");
    expect(textOf("systemd")).toContain("100%%25");
  });

  it("are there for every place where jobs run", () => {
    expect(heartbeats().map(({ label }) => label.split(" (")[0])).toEqual([
      "curl",
      "cron",
      "systemd",
      "GitHub Actions",
      "Kubernetes CronJob",
    ]);
  });
});

describe("lines that send metrics", () => {
  it("pass key and body to curl", () => {
    const [line] = inEnglish(() => metricsLines("https://vigil.test/push", "pk_abc", "m1"));
    const given = argumentsOf(line?.text ?? "");
    expect(given).toContain("Authorization: Bearer pk_abc");
    expect(JSON.parse(given.at(-1) ?? "")).toEqual({ monitor_id: "m1", status: "up", latency_ms: 42 });
  });
});
