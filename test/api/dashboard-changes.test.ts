import { describe, expect, it } from "vitest";
import { createClient, V1 } from "../support/client.ts";
import { browserOf } from "../support/dashboard-crawl.ts";
import { createAccount, createMonitor, createPage } from "../support/factories.ts";
import type { Browser } from "../support/forms.ts";
import { joinPage } from "../support/members.ts";

async function versionFor(browser: Browser): Promise<string> {
  const { status, text } = await browser.open("/app/changes");
  expect(status).toBe(200);
  expect(text).toMatch(/^[0-9a-f]{16}$/);
  return text;
}

describe("GET /app/changes", () => {
  it("names another version once something happened to what the caller sees, and no sooner", async () => {
    const [owner, outsider] = [await createAccount(), await createAccount()];
    const [own, foreign] = [await browserOf(owner), await browserOf(outsider)];
    const status_page_id = await createPage(owner);
    const [first, theirs] = [await versionFor(own), await versionFor(foreign)];
    expect(await versionFor(own)).toBe(first);
    await createMonitor(owner.client, { status_page_id });
    const second = await versionFor(own);
    expect(second).not.toBe(first);
    await owner.client.post(`${V1}/incidents`, { status_page_id, title: "Slow" });
    expect(await versionFor(own)).not.toBe(second);
    expect(await versionFor(foreign)).toBe(theirs);
  });

  it("notifies members of what happens to the page, and of nothing else of its owner", async () => {
    const [owner, member] = [await createAccount(), await createAccount()];
    const [shared, other] = [await createPage(owner), await createPage(owner)];
    await joinPage(member, shared, { role: "viewer" });
    const browser = await browserOf(member);
    const first = await versionFor(browser);
    await owner.client.post(`${V1}/incidents`, { status_page_id: other, title: "Elsewhere" });
    expect(await versionFor(browser)).toBe(first);
    await owner.client.post(`${V1}/incidents`, { status_page_id: shared, title: "Here" });
    expect(await versionFor(browser)).not.toBe(first);
  });

  it("is for those who are signed in", async () => {
    expect((await createClient().get("/app/changes")).status).toBe(401);
  });
});
