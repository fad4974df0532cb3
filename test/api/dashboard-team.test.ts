import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { pageMembers } from "../../src/data/members/table.ts";
import { newId } from "../../src/platform/ids.ts";
import { V1 } from "../support/client.ts";
import { browserOf } from "../support/dashboard-crawl.ts";
import { type Account, createAccount, createPage } from "../support/factories.ts";
import type { Browser } from "../support/forms.ts";
import { joinPage } from "../support/members.ts";

describe("a role that a group of a sign-in provider gives", () => {
  let owner: Account;
  let browser: Browser;
  let page: string;
  let invited: string;
  const given = newId();
  beforeAll(async () => {
    const [own, friend, colleague] = await Promise.all([createAccount(), createAccount(), createAccount()]);
    owner = own;
    browser = await browserOf(owner);
    page = await createPage(owner);
    invited = await joinPage(friend, page, { role: "viewer" });
    const now = Date.now();
    const row = { id: given, status_page_id: page, user_id: colleague.user_id, capabilities: [] };
    const times = { created_at: now, updated_at: now };
    await openDb(env.DB)
      .insert(pageMembers)
      .values({ ...row, ...times, role: "editor", given_by: "groups" });
  });

  it("is said beside the member and offers no change, which the API refuses", async () => {
    const { text } = await browser.open("/app/team");
    const formOf = (id: string) => text.includes(`href="/app/team/${page}/members/${id}"`);
    expect([formOf(invited), formOf(given)]).toEqual([true, false]);
    expect(text.match(/Set by a group of the sign-in provider/g)).toHaveLength(1);
    const answer = await owner.client.put(`${V1}/status-pages/${page}/members/${given}`, { role: "viewer" });
    expect([answer.status, answer.body.error]).toEqual([
      409,
      "a group of a sign-in provider gives this role: change it there",
    ]);
  });

  it("has no form by its address either, which says so before anything is entered", async () => {
    const led = await browser.open(`/app/team/${page}/members/${given}`);
    expect([led.status, led.headers.get("location")]).toEqual([303, `/app/team?page=${page}`]);
    const { text } = await browser.open(`/app/team?page=${page}`);
    expect(text).toContain("A group of the sign-in provider gives");
    expect(text).not.toContain('name="role"');
    expect((await browser.open(`/app/team/${page}/members/${invited}`)).status).toBe(200);
  });
});
