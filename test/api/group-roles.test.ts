import { env } from "cloudflare:workers";
import { and, eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { auditLog } from "../../src/data/audit/table.ts";
import { openDb } from "../../src/data/db.ts";
import { pageMembers } from "../../src/data/members/table.ts";
import { signInProviders } from "../../src/data/sign-in-providers/table.ts";
import { statusPages } from "../../src/data/status-pages/table.ts";
import { users } from "../../src/data/users/table.ts";
import { newId } from "../../src/platform/ids.ts";
import { CORE, V1 } from "../support/client.ts";
import { type Account, createAccount, createPage } from "../support/factories.ts";
import { createBrowser } from "../support/forms.ts";
import { createIdentityProvider, type IdentityProvider } from "../support/identity-provider.ts";
import { insertBrowser, joinPage } from "../support/members.ts";
import { useSink } from "../support/sink.ts";

const PROVIDERS = `${CORE}/sign-in-providers`;
const db = openDb(env.DB);
const sink = useSink();
let operator: Account;
let works: IdentityProvider;
let id: string;
let page: string;
let slug: string;
beforeEach(async () => {
  await db.delete(signInProviders);
  operator = await createAccount({ operator: true });
  page = await createPage(operator);
  slug = await slugOf(page);
  id = `p-${newId()}`;
  works = await createIdentityProvider(sink, `https://sink.test/${id}`);
  works.user = { sub: newId(), email: `${newId()}@${id}.example`, email_verified: true, name: "Ada" };
});

const slugOf = async (pageId: string) =>
  (await db.select({ slug: statusPages.slug }).from(statusPages).where(eq(statusPages.id, pageId)))[0]?.slug ?? "";
const map = (group_roles: unknown[]) =>
  operator.client.post(PROVIDERS, {
    id,
    name: "Works",
    issuer: works.issuer,
    client_id: "vigil",
    account_domains: [`${id}.example`],
    groups_claim: "groups",
    group_roles,
  });
const change = (body: unknown) => operator.client.patch(`${PROVIDERS}/${id}`, body);

async function signIn(groups: unknown) {
  works.user = { ...works.user, groups };
  const browser = createBrowser();
  const begun = await browser.open(`/app/sign-in/with/${id}`);
  const { pathname, search } = works.authorize(begun.headers.get("location") ?? "");
  expect((await browser.open(pathname + search)).status).toBe(303);
  return browser;
}
const userId = async () =>
  (
    await db
      .select()
      .from(users)
      .where(eq(users.email, String(works.user.email)))
  )[0]?.id ?? "";
const rolesNow = async () =>
  (
    await db
      .select()
      .from(pageMembers)
      .where(eq(pageMembers.user_id, await userId()))
  ).map((each) => [each.status_page_id, each.role]);
const events = async () =>
  (
    await db
      .select()
      .from(auditLog)
      .where(and(eq(auditLog.status_page_id, page), eq(auditLog.actor_type, "system")))
  ).map(({ event_type, summary }) => `${event_type}: ${summary.replace(String(works.user.email), "Ada")}`);

describe("a group of a provider", () => {
  it("gives its role at sign-in, changes it, and takes it away with the claim, each of which is audited", async () => {
    const roles = [
      { group: "staff", page: slug, role: "viewer" },
      { group: "on call", page: slug, role: "editor" },
    ];
    expect((await map(roles)).body.group_roles).toEqual(roles);
    const browser = await signIn(["staff", "unknown"]);
    expect(await rolesNow()).toEqual([[page, "viewer"]]);
    expect((await browser.open(`/app/team?page=${page}`)).status).toBe(200);
    await signIn(["on call", "staff"]);
    expect(await rolesNow()).toEqual([[page, "editor"]]);
    await signIn("staff");
    expect(await rolesNow()).toEqual([[page, "viewer"]]);
    await signIn(undefined);
    expect(await rolesNow()).toEqual([]);
    expect((await events()).toSorted()).toEqual([
      'member.joined: Ada became viewer by the group "staff" of Works',
      "member.removed: Ada is no member any more: no group of Works gives a role",
      'member.updated: Ada became editor by the group "on call" of Works',
      'member.updated: Ada became viewer by the group "staff" of Works',
    ]);
  });

  it("takes nothing away that somebody gave by hand, and is not overruled by hand", async () => {
    await map([{ group: "staff", page: slug, role: "viewer" }]);
    await signIn([]);
    await joinPage({ user_id: await userId() } as Account, page, { role: "admin" });
    await signIn(["staff"]);
    expect(await rolesNow()).toEqual([[page, "admin"]]);
    await db.delete(pageMembers);
    await signIn(["staff"]);
    const { body } = await operator.client.get(`${V1}/status-pages/${page}/members`);
    const member = `${V1}/status-pages/${page}/members/${body[0].id}`;
    expect((await operator.client.put(member, { role: "admin" })).status).toBe(409);
    expect((await operator.client.delete(member)).status).toBe(204);
    expect(await rolesNow()).toEqual([]);
  });

  it("gives no more than who mapped it may give, then and at each sign-in", async () => {
    const owner = await createAccount();
    const foreign = await createPage(owner);
    const named = { group: "staff", page: await slugOf(foreign) };
    expect((await map([{ ...named, role: "viewer" }])).status).toBe(400);
    const membership = await joinPage(operator, foreign, { role: "custom", capabilities: ["members.manage"] });
    expect((await map([{ ...named, role: "editor" }])).status).toBe(403);
    expect((await map([{ ...named, role: "viewer" }])).status).toBe(201);
    await signIn(["staff"]);
    expect(await rolesNow()).toEqual([[foreign, "viewer"]]);
    await db.delete(pageMembers).where(eq(pageMembers.id, membership));
    await signIn(["staff"]);
    expect(await rolesNow()).toEqual([]);
  });

  it("of a mapping that is gone gives nothing from the next sign-in on", async () => {
    await map([{ group: "staff", page: slug, role: "viewer" }]);
    await signIn(["staff"]);
    expect((await change({ group_roles: [] })).status).toBe(200);
    await signIn(["staff"]);
    expect(await rolesNow()).toEqual([]);
  });

  it("is mapped by lines of a form", async () => {
    await map([{ group: "staff", page: slug, role: "viewer" }]);
    const browser = createBrowser(await insertBrowser(operator));
    const address = `/app/installation/sign-in/${id}`;
    expect((await browser.open(address)).text).toContain(`staff = ${slug} : viewer`);
    const fields = { name: "Works", client_id: "vigil", is_enabled: "on", groups_claim: "groups" };
    const wrong = await browser.submit(address, { ...fields, group_roles: `on call is editor` });
    expect(wrong.status).toBe(400);
    const saved = await browser.submit(address, { ...fields, group_roles: `on call = ${slug} : editor` });
    expect(saved.status).toBe(303);
    const { body } = await operator.client.get(`${PROVIDERS}/${id}`);
    expect(body.group_roles).toEqual([{ group: "on call", page: slug, role: "editor" }]);
  });
});
