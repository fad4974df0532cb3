import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { signInProviders } from "../../src/data/sign-in-providers/table.ts";
import { users } from "../../src/data/users/table.ts";
import { newId } from "../../src/platform/ids.ts";
import { CORE, createClient } from "../support/client.ts";
import { type Account, createAccount } from "../support/factories.ts";
import { createBrowser } from "../support/forms.ts";
import { createIdentityProvider, type IdentityProvider } from "../support/identity-provider.ts";
import { insertBrowser, insertPassword, PASSWORD } from "../support/members.ts";
import { useSink } from "../support/sink.ts";

const PROVIDERS = `${CORE}/sign-in-providers`;
const db = openDb(env.DB);
const sink = useSink();
let works: IdentityProvider;
let operator: Account;
let id: string;
beforeAll(async () => {
  operator = await createAccount({ operator: true });
});
beforeEach(async () => {
  await db.delete(signInProviders);
  id = `p-${newId()}`;
  works = await createIdentityProvider(sink, `https://sink.test/${id}`);
  works.user = { sub: newId(), email: `${newId()}@${id}.example`, email_verified: true, name: "Ada" };
});

const inputOf = (change = {}) => ({
  id,
  name: "Our works",
  issuer: works.issuer,
  client_id: "vigil",
  client_secret: "the secret of the client",
  account_domains: [`${id}.example`],
  ...change,
});
const add = (change = {}, by = operator) => by.client.post(PROVIDERS, inputOf(change));

async function signIn() {
  const browser = createBrowser();
  const begun = await browser.open(`/app/sign-in/with/${id}`);
  const { pathname, search } = works.authorize(begun.headers.get("location") ?? "");
  return { browser, shown: await browser.open(pathname + search) };
}
const isSignedIn = async (browser: ReturnType<typeof createBrowser>) =>
  (await browser.open("/app/account")).status === 200;

describe("a provider that an operator adds", () => {
  it("signs people in as soon as it is added, and its secret is never shown", async () => {
    const added = await add();
    expect(added).toMatchObject({
      status: 201,
      body: {
        id,
        kind: "oidc",
        name: "Our works",
        has_client_secret: true,
        is_enabled: true,
        managed_by: "operators",
        redirect_uri: expect.stringContaining(`/app/sign-in/with/${id}/callback`),
      },
    });
    const [row] = await db.select().from(signInProviders);
    for (const text of [JSON.stringify(added.body), JSON.stringify(row)]) expect(text).not.toContain("the secret");
    expect((await createBrowser().open("/app/sign-in")).text).toContain("Our works");
    const { browser } = await signIn();
    expect(await isSignedIn(browser)).toBe(true);
    const sent = sink.received.find(({ url }) => url.endsWith("/token"));
    expect(atob(sent?.headers.get("authorization")?.split(" ")[1] ?? "")).toContain("the+secret+of+the+client");
  });

  it("is not saved unless it answers under the name that it gives itself", async () => {
    works.metadata = { issuer: "https://sink.test/another" };
    expect(await add()).toMatchObject({ status: 400, body: { details: [{ path: "issuer" }] } });
    works.metadata = { jwks_uri: undefined };
    expect((await add()).body.error).toContain("its discovery has no jwks_uri");
    expect((await add({ issuer: "https://sink.test/nobody" })).status).toBe(400);
    expect(await db.$count(signInProviders)).toBe(0);
  });

  it("shares neither its id nor its issuer with another one", async () => {
    expect((await add()).status).toBe(201);
    expect((await add({ issuer: "https://other.example" })).status).toBe(409);
    expect((await add({ id: `${id}-2` })).status).toBe(400);
    expect((await add({ id: "works" })).status).toBe(409);
    expect((await add({ id: "access" })).status).toBe(400);
    expect(await db.$count(signInProviders)).toBe(1);
  });

  it("once disabled signs nobody in, and the sessions that began by it are over", async () => {
    await add();
    const { browser } = await signIn();
    expect(await isSignedIn(browser)).toBe(true);
    expect(await operator.client.patch(`${PROVIDERS}/${id}`, { is_enabled: false })).toMatchObject({
      status: 200,
      body: { is_enabled: false, has_client_secret: true },
    });
    expect(await isSignedIn(browser)).toBe(false);
    expect((await createBrowser().open("/app/sign-in")).text).not.toContain("Our works");
    expect((await createBrowser().open(`/app/sign-in/with/${id}`)).status).toBe(404);
    await operator.client.patch(`${PROVIDERS}/${id}`, { is_enabled: true });
    expect(await isSignedIn((await signIn()).browser)).toBe(true);
  });

  it("once deleted ends the sessions that began by it, and knows its people when it is added again", async () => {
    await add();
    const { browser } = await signIn();
    expect((await operator.client.delete(`${PROVIDERS}/${id}`)).status).toBe(204);
    expect(await isSignedIn(browser)).toBe(false);
    await add({ account_domains: [] });
    expect(await isSignedIn((await signIn()).browser)).toBe(true);
  });

  it("is required for a domain only while somebody has a way in without it", async () => {
    const person = await createAccount();
    await insertPassword(person);
    const owner = await createAccount();
    const email = (name: string) => `${name}@${id}.example`;
    await db
      .update(users)
      .set({ email: email("person") })
      .where(eq(users.id, person.user_id));
    await db
      .update(users)
      .set({ email: email("owner") })
      .where(eq(users.id, owner.user_id));
    const required = { required_domains: [`${id}.example`], break_glass: [email("owner")] };
    const login = (name: string) =>
      createClient().post(`${CORE}/auth/login`, { email: email(name), password: PASSWORD });
    expect(await add(required)).toMatchObject({ status: 400, body: { details: [{ path: "break_glass" }] } });
    await insertPassword(owner);
    expect((await add(required)).status).toBe(201);
    expect(await login("person")).toMatchObject({ status: 400, body: { error: expect.stringContaining("Our works") } });
    expect((await login("owner")).status).toBe(200);
    await operator.client.patch(`${PROVIDERS}/${id}`, { is_enabled: false });
    expect((await login("person")).status).toBe(200);
  });

  it("stays while no operator could sign in without it, who may end it once there is another way in", async () => {
    await add();
    const { browser } = await signIn();
    const email = String(works.user.email);
    await db.update(users).set({ operator: sql`${users.email} = ${email}` });
    const [person] = await db.select().from(users).where(eq(users.email, email));
    const path = `/app/installation/sign-in/${id}`;
    const disable = () => browser.submit(path, { name: "Our works", client_id: "vigil" });
    expect((await disable()).text).toContain("No operator could sign in any more");
    expect((await browser.submit(`${path}/delete`, { confirmation: "Our works" })).status).toBe(409);
    expect(await isSignedIn(browser)).toBe(true);
    await insertPassword({ ...operator, user_id: person?.id ?? "" });
    expect((await disable()).status).toBe(303);
    expect(await isSignedIn(browser)).toBe(false);
    const back = await createBrowser().submit("/app/sign-in", { email, password: PASSWORD });
    expect([back.status, back.headers.get("location")]).toEqual([303, "/app"]);
    await db.update(users).set({ operator: true }).where(eq(users.id, operator.user_id));
  });

  it("keeps what a change does not name, the secret included", async () => {
    await add();
    const changed = await operator.client.patch(`${PROVIDERS}/${id}`, { name: "Renamed" });
    expect(changed.body).toMatchObject({ name: "Renamed", has_client_secret: true, client_id: "vigil" });
    expect((await operator.client.patch(`${PROVIDERS}/${id}`, { client_secret: null })).body.has_client_secret).toBe(
      false,
    );
  });

  it("is for operators alone", async () => {
    await add();
    const stranger = await createAccount();
    expect((await add({}, stranger)).status).toBe(403);
    expect((await stranger.client.get(PROVIDERS)).status).toBe(403);
    expect((await stranger.client.get(`${PROVIDERS}/${id}`)).status).toBe(403);
    expect((await stranger.client.patch(`${PROVIDERS}/${id}`, { name: "Mine" })).status).toBe(403);
    expect((await stranger.client.delete(`${PROVIDERS}/${id}`)).status).toBe(403);
    const browser = createBrowser(await insertBrowser(stranger));
    expect((await browser.open("/app/installation/sign-in")).status).toBe(403);
  });
});

describe("a provider of the setting", () => {
  it("is shown beside the others, and changed in the setting alone", async () => {
    await add();
    const { body } = await operator.client.get(PROVIDERS);
    expect(body.map(({ id, managed_by }: { id: string; managed_by: string }) => [id, managed_by])).toEqual([
      ["works", "environment"],
      ["other", "environment"],
      ["github", "environment"],
      [id, "operators"],
    ]);
    expect(JSON.stringify(body)).not.toContain("works-secret");
    expect((await operator.client.patch(`${PROVIDERS}/works`, { name: "X" })).status).toBe(409);
    expect((await operator.client.delete(`${PROVIDERS}/works`)).status).toBe(409);
  });
});

describe("the dashboard of an operator", () => {
  it("adds a provider by a form that says what is wrong with it, changes it and deletes it", async () => {
    const browser = createBrowser(await insertBrowser(operator));
    const LIST = "/app/installation/sign-in";
    const fields = { kind: "oidc", id, issuer: `${works.issuer}/wrong`, name: "Works", client_id: "vigil" };
    const refused = await browser.submit(`${LIST}/new`, fields);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("Issuer does not answer")]);
    const added = await browser.submit(`${LIST}/new`, { ...fields, issuer: works.issuer });
    expect([added.status, added.headers.get("location")]).toEqual([303, expect.stringContaining(`${LIST}/${id}`)]);
    const shown = await browser.open(`${LIST}/${id}`);
    expect(shown.text).toContain(`/app/sign-in/with/${id}/callback`);
    expect((await browser.open(LIST)).text).toContain("By configuration");
    expect((await browser.open(`${LIST}/works`)).text).toContain("OIDC_PROVIDERS");
    const disabled = await browser.submit(`${LIST}/${id}`, { name: "Works 2", client_id: "vigil" });
    expect(disabled.status).toBe(303);
    expect((await operator.client.get(`${PROVIDERS}/${id}`)).body).toMatchObject({
      name: "Works 2",
      is_enabled: false,
    });
    const deleted = await browser.submit(`${LIST}/${id}/delete`, { confirmation: "Works 2", name: "Works 2" });
    expect(deleted.status).toBe(303);
    expect((await operator.client.get(`${PROVIDERS}/${id}`)).status).toBe(404);
  });
});
