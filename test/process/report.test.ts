import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, START_TIMEOUT_MS, startService, temporaryDir } from "./support.ts";

/** What other people's programs make of a report: one that checks the file, one that reads it. */
const isMissing = ["qpdf", "pdftotext"].some((program) => spawnSync(program, ["--version"]).error !== undefined);

const NAMES = [
  "Überwachung Ł ő",
  "Привет, мир",
  "Ωμέγα υπηρεσία",
  "监控 数据库",
  "日本 監視サーバー",
  "한국 결제",
  "Việt Nam – thanh toán",
  "שירות התשלומים",
  "خدمة لا تنقطع",
  "ไทย",
  "საქართველო",
  "🚀 Launch",
];

describe.skipIf(isMissing)("an SLA report as PDF", () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService();
  }, START_TIMEOUT_MS);

  afterAll(() => service?.stop());

  async function call(method: string, path: string, body?: unknown): Promise<Response> {
    return fetch(`${service.url}/api/uptime/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  it("is a valid file in which every name is found, in any script", async () => {
    const page = (await (await call("POST", "/status-pages", { name: "Status für 決済", slug: "shop" })).json()) as {
      id: string;
    };
    for (const name of NAMES) {
      const monitor = { name, type: "heartbeat", expected_interval: 60, status_page_id: page.id };
      expect((await call("POST", "/monitors", monitor)).status).toBe(201);
    }
    const report = await call("GET", `/status-pages/${page.id}/sla/export?format=pdf`);
    expect(report.status).toBe(200);
    const file = join(temporaryDir(), "report.pdf");
    writeFileSync(file, new Uint8Array(await report.arrayBuffer()));

    expect(spawnSync("qpdf", ["--check", file], { encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
    const read = spawnSync("pdftotext", ["-layout", file, "-"], { encoding: "utf8" });
    expect([read.status, read.stderr]).toEqual([0, ""]);
    // It marks where text changes its direction.
    const text = read.stdout.replace(/[\u202a-\u202e]/g, "");
    for (const name of ["Status für 決済", "Service level report", "Page 1 of 1", ...NAMES]) {
      expect(text.replace(/\s+/g, " ")).toContain(name);
    }
  });
});
