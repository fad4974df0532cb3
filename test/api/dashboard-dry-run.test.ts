import { beforeAll, describe, expect, it, vi } from "vitest";
import { MONITOR_TYPES } from "../../src/contract/monitor-values.ts";
import { monitorType } from "../../src/probes/registry.ts";
import { V1 } from "../support/client.ts";
import { browserOf } from "../support/dashboard-crawl.ts";
import { type Account, createAccount, createMonitor } from "../support/factories.ts";
import type { Browser } from "../support/forms.ts";

/** "Test now" in the form of a monitor, before anything is saved. */
const outside = vi.spyOn(globalThis, "fetch");
let owner: Account;
let browser: Browser;
beforeAll(async () => {
  outside.mockImplementation(async () => new Response("ok"));
  owner = await createAccount();
  browser = await browserOf(owner);
});

const BUTTON =
  /<fieldset class="bare" data-types="([^"]*)"([^>]*)><button type="submit" class="second" name="intent" value="test">/;
const resultIn = (text: string) => /id="test-result">(.*?)<\/div>/s.exec(text)?.[1]?.replaceAll(/<[^>]*>/g, " ") ?? "";

describe("the form of a monitor", () => {
  it.each(MONITOR_TYPES)("offers a test of type %s where the service runs its checks, and only there", async (type) => {
    const { text } = await browser.open(`/app/monitors/new?type=${type}`);
    const [, types = "", state = ""] = BUTTON.exec(text) ?? [];
    const isTested = monitorType(type).source === "edge";
    expect([types.split(" ").includes(type), state.includes("disabled")]).toEqual([isTested, !isTested]);
  });

  it("shows what each region found, and keeps what was typed", async () => {
    const fields: [string, string][] = [
      ...Object.entries({ type: "http", target: "http://sink.test/", name: "Shop", intent: "test" }),
      ...["weur", "enam"].map((region): [string, string] => ["regions", region]),
    ];
    const { status, text } = await browser.submit("/app/monitors/new", fields);
    expect(status).toBe(200);
    expect(resultIn(text)).toMatch(/Western Europe: .*Up.*Eastern North America: .*Up/s);
    expect(text).toMatch(/name="target"[^>]*value="http:\/\/sink.test\/"/);
  });

  it("tests a change with the secrets that it does not show", async () => {
    const headers = { http_headers: "X-Key: secret-value" };
    const monitor = await createMonitor(owner.client, { name: "Keyed", ...headers });
    const path = `/app/monitors/${monitor.id}/edit`;
    outside.mockClear();
    const fields = { type: "http", name: "Keyed", target: "http://sink.test/health", http_headers: "X-Key: ***" };
    const { status, text } = await browser.submit(path, { ...fields, intent: "test" });
    expect([status, resultIn(text)]).toEqual([200, expect.stringMatching(/Up/)]);
    expect(new Headers(outside.mock.lastCall?.[1]?.headers).get("x-key")).toBe("secret-value");
    expect((await owner.client.get(`${V1}/monitors/${monitor.id}`)).body.target).toBe("http://sink.test/");
  });

  it("names beside its field what keeps it from a test", async () => {
    const fields = { type: "http", target: "ftp://nowhere", intent: "test" };
    const { status, text } = await browser.submit("/app/monitors/new", fields);
    expect([status, text.includes('id="target-problem"'), resultIn(text)]).toEqual([400, true, ""]);
  });
});
