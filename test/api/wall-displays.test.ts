import { env, exports } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { WALL_LINKS_MAX } from "../../src/contract/wall-link.ts";
import { openDb } from "../../src/data/db.ts";
import { users } from "../../src/data/users/table.ts";
import { CORE, createClient, V1 } from "../support/client.ts";
import { type Account, createAccount, createMonitor, createPage } from "../support/factories.ts";
import { createBrowser } from "../support/forms.ts";
import { createMember } from "../support/members.ts";

const db = openDb(env.DB);
const LINKS = `${CORE}/user/wall-links`;
const visit = (path: string) => createBrowser().open(path);

async function createLink({ client }: Account, name = "Office"): Promise<{ id: string; path: string }> {
  const { status, body } = await client.post(LINKS, { name });
  expect([status, body.name]).toEqual([201, name]);
  return { id: body.id, path: new URL(body.url).pathname };
}

async function connect(path: string) {
  const headers = { upgrade: "websocket", origin: "http://vigil.test" };
  const { webSocket, status } = await exports.default.fetch(`http://vigil.test${path}/live`, { headers });
  const heard: string[] = [];
  webSocket?.addEventListener("message", ({ data }) => void heard.push(String(data)));
  webSocket?.accept();
  return { status, heard, close: () => webSocket?.close() };
}

describe("the link of a wall display", () => {
  it("shows, without signing in, what its maker sees, and nothing to press", async () => {
    const account = await createAccount();
    const page = await createPage(account);
    await createMonitor(account.client, { name: "Checkout <1>", status_page_id: page });
    await account.client.post(`${V1}/incidents`, { status_page_id: page, title: "Cards are refused" });
    await createMonitor((await createAccount()).client, { name: "Somebody else's" });
    const { status, text, headers } = await visit((await createLink(account)).path);
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(text).toContain("Checkout &lt;1&gt;");
    expect(text).toContain("1 open incident");
    expect(text).toContain("Cards are refused");
    expect(text).not.toContain("Somebody else");
    expect(text).toMatch(/<html[^>]* data-theme="dark"/);
    expect(text).not.toMatch(/<(a|button|form|input|nav)\b/);
  });

  it("shows the monitors of pages that its maker is a member of, as long as they are", async () => {
    const owner = await createAccount();
    const { id: page, member, member_id } = await createMember(owner);
    await createMonitor(owner.client, { name: "Shared shop", status_page_id: page });
    const { path } = await createLink(member);
    expect((await visit(path)).text).toContain("Shared shop");
    expect((await owner.client.delete(`${V1}/status-pages/${page}/members/${member_id}`)).status).toBe(204);
    expect((await visit(path)).text).not.toContain("Shared shop");
  });

  it("is current without being sent again, and another one once something happened", async () => {
    const account = await createAccount();
    await createMonitor(account.client, { name: "Checkout" });
    const { path } = await createLink(account);
    const tag = (await visit(path)).headers.get("etag") ?? "";
    expect((await createBrowser().open(path, { "if-none-match": tag })).status).toBe(304);
    await createMonitor(account.client, { name: "Billing" });
    expect((await createBrowser().open(path, { "if-none-match": tag })).status).toBe(200);
  });

  it("is announced what happens within two seconds, and nothing of what it was", async () => {
    const account = await createAccount();
    const screen = await connect((await createLink(account)).path);
    expect(screen.status).toBe(101);
    await createMonitor(account.client, { name: "Checkout" });
    await vi.waitFor(() => expect(screen.heard).toEqual(["changed"]), { timeout: 2000 });
    screen.close();
  });

  it("is worth nothing once it is revoked, or everything is ended", async () => {
    const account = await createAccount();
    const [first, second] = [await createLink(account), await createLink(account)];
    expect((await account.client.delete(`${LINKS}/${first.id}`)).status).toBe(204);
    expect([(await visit(first.path)).status, (await connect(first.path)).status]).toEqual([404, 404]);
    expect((await visit(second.path)).status).toBe(200);
    expect((await account.client.post(`${CORE}/auth/revoke-all`)).status).toBe(204);
    expect((await visit(second.path)).status).toBe(404);
  });

  it("opens nothing of an account that was deactivated, nor by a guess", async () => {
    const account = await createAccount();
    const { path } = await createLink(account);
    await db.update(users).set({ deactivated_at: 1 }).where(eq(users.id, account.user_id));
    expect((await visit(path)).status).toBe(404);
    expect((await visit(`/app/wall/wall_${"a".repeat(43)}`)).status).toBe(404);
  });

  it("is listed and revoked by its maker alone, without its secret", async () => {
    const account = await createAccount();
    const { id } = await createLink(account, "Second floor");
    const { body } = await account.client.get(LINKS);
    expect(body).toMatchObject([{ id, name: "Second floor", last_shown_at: null }]);
    expect(JSON.stringify(body)).not.toContain("wall_");
    const outsider = await createAccount();
    expect((await outsider.client.get(LINKS)).body).toEqual([]);
    expect((await outsider.client.delete(`${LINKS}/${id}`)).status).toBe(404);
  });

  it(`is made at most ${WALL_LINKS_MAX} times`, async () => {
    const account = await createAccount();
    for (let n = 0; n < WALL_LINKS_MAX; n++) await createLink(account, `Screen ${n}`);
    const { status, body } = await account.client.post(LINKS, { name: "One more" });
    expect([status, body.error]).toEqual([409, expect.stringContaining("at most 20 links")]);
  });

  it("is made for nobody who is not signed in", async () => {
    expect((await createClient().post(LINKS, { name: "Office" })).status).toBe(401);
    expect((await visit("/app/wall")).headers.get("location")).toBe("/app/sign-in?next=%2Fapp%2Fwall");
  });
});
