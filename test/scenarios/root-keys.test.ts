import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { reconcileUnsyncedMonitors } from "../../src/checks/reconcile.ts";
import { openDb } from "../../src/data/db.ts";
import { monitors } from "../../src/data/monitors/table.ts";
import { listNotifyContacts } from "../../src/data/notify-contacts/read.ts";
import { insertContactMessages } from "../../src/data/notify-contacts/write.ts";
import { SEALED_COLUMNS } from "../../src/data/sealed-values/columns.ts";
import { passwords } from "../../src/data/sessions/table.ts";
import { subscribers } from "../../src/data/subscribers/table.ts";
import { sweepCursors } from "../../src/data/sweep-cursors/table.ts";
import { sealContactMessage } from "../../src/delivery/contact-messages.ts";
import type { AlertMessage } from "../../src/domain/alert-messages.ts";
import { newId } from "../../src/platform/ids.ts";
import { hashPassword } from "../../src/platform/password.ts";
import { mintPushToken } from "../../src/platform/push-tokens.ts";
import { unseal } from "../../src/platform/seal.ts";
import { settingsOf } from "../../src/platform/settings.ts";
import { sweepRootKeys } from "../../src/sweeps/root-keys.ts";
import { codeOf } from "../support/authenticator.ts";
import { CORE, createClientUnder, V1 } from "../support/client.ts";
import { createContact } from "../support/contacts.ts";
import { type Account, createAccount, createMonitor, createPage } from "../support/factories.ts";
import { createAccountWithPassword, emailOf, PASSWORD } from "../support/members.ts";
import { setPolicy, toUser } from "../support/on-call.ts";
import { createHeartbeat } from "../support/pushes.ts";
import { createProtectedAccount } from "../support/two-factor.ts";
import { createWebhook } from "../support/webhooks.ts";

const OLD = env.ROOT_SECRET;
const FRESH = "the second root secret of this installation";
const BOTH = { ROOT_SECRET: `2:${FRESH},1:${OLD}` };
const NEW = { ROOT_SECRET: `2:${FRESH}` };

const db = openDb(env.DB);
const under = (settings: typeof BOTH, { token }: { token?: string } = {}) => createClientUnder(settings, token);
const signIn = (settings: typeof BOTH, email: string, code?: string) =>
  under(settings).post(`${CORE}/auth/login`, { email, password: PASSWORD, code });

let operator: Account;
beforeAll(async () => {
  operator = await createAccount({ operator: true });
});

/** A round of the sweep, to its end. */
async function sweep(settings: typeof BOTH): Promise<void> {
  await db.delete(sweepCursors);
  const scope = jobScope({ ...env, ...settings }, "test");
  for (let minutes = 0; minutes < 20; minutes++) await sweepRootKeys(scope);
  await reconcileUnsyncedMonitors(scope);
}

const sealedValues = async () => {
  const rows = await Promise.all(
    SEALED_COLUMNS.map(({ name, table, bound_to, value }) =>
      db
        .select({ bound_to, value })
        .from(table)
        .then((found) => found.map((row) => ({ name, ...row }))),
    ),
  );
  return rows.flat().filter(({ value }) => value) as { name: string; bound_to: string; value: string }[];
};

const ALERT: AlertMessage = {
  tone: "down",
  title: "Shop is down",
  text: "",
  facts: [],
  links: [],
  thread: { id: "shop", state: "down" },
  is_resolved: false,
};

/** An alert that waits for a contact. */
async function insertAlertTo({ user_id }: Account): Promise<void> {
  const [contact] = (await listNotifyContacts(db, user_id, { limit: 1, offset: 0 })).rows;
  if (!contact) throw new Error("the account has no contact");
  const alert = { event_id: newId(), contact, message: ALERT };
  await insertContactMessages(db, [await sealContactMessage(jobScope(env, "test"), alert)]);
}

describe("sealed settings", () => {
  it("are readable throughout, and after the sweep without the key before", async () => {
    const account = await createProtectedAccount();
    const page = await createPage(account, { is_public: true });
    const headers = { "X-Key": "header of a monitor" };
    const monitor = await createMonitor(account.client, {
      http_headers: JSON.stringify(headers),
      status_page_id: page,
    });
    await createWebhook(account, { provider: "slack", url: "https://hooks.example/of-the-team" });
    const rules = `${V1}/status-pages/${page}/events/rules`;
    const made = await account.client.post(rules, {
      event_name: "monitor.down",
      alert_channels: { "monitor.down": "#ops" },
    });
    expect(made.status).toBe(201);
    const changed = { alert_channels: { "monitor.down": "#night" } };
    expect((await account.client.put(`${rules}/${made.body.id}`, changed)).status).toBe(200);
    await setPolicy({ account, page }, [{ level: 1, wait_minutes: 0, contacts: toUser(account.user_id) }]);
    await createContact(account);
    await account.client.get(`${V1}/notify-contacts/application-key`);
    await insertAlertTo(account);
    const provider = { id: "git", kind: "github", issuer: "https://git.example", client_id: "a", client_secret: "b" };
    expect((await operator.client.post(`${CORE}/sign-in-providers`, provider)).status).toBe(201);
    await account.client.post(`${V1}/secrets`, { name: "KEY", value: "of a journey" });
    const slug = (await account.client.get(`${V1}/status-pages/${page}`)).body.slug;
    const subscribe = (settings: Record<string, string>) =>
      createClientUnder(settings).post(`/status/${slug}/subscribers`, {
        channel: "email",
        endpoint: "ann@example.com",
      });
    expect((await subscribe({})).status).toBe(202);
    const unmade = ["escalation_notifications", "provider_sessions"];
    const names = new Set((await sealedValues()).map(({ name }) => name));
    expect(SEALED_COLUMNS.filter(({ name }) => !names.has(name) && !unmade.includes(name))).toEqual([]);

    const read = async (settings: typeof BOTH) =>
      (await under(settings, account).get(`${V1}/monitors/${monitor.id}`)).body.http_headers;
    expect(JSON.parse(await read(BOTH))).toEqual(headers);
    await sweep(BOTH);
    expect(JSON.parse(await read(NEW))).toEqual(headers);
    for (const { name, bound_to, value } of await sealedValues()) {
      expect([name, await unseal(NEW.ROOT_SECRET, bound_to, value).then(() => "open")]).toEqual([name, "open"]);
    }
    expect((await signIn(NEW, emailOf(account))).status).toBe(401);
    expect((await signIn(BOTH, emailOf(account), codeOf(account.secret, 1))).status).toBe(200);
    expect((await subscribe(NEW)).status).toBe(202);
    expect(await db.$count(subscribers, eq(subscribers.status_page_id, page))).toBe(1);
  });
});

describe("a heartbeat address", () => {
  let account: Account;
  beforeEach(async () => {
    account = await createAccount();
  });

  it("of the key before stays good, and is shown, until it is replaced", async () => {
    const monitor = await createHeartbeat(account);
    const client = under(BOTH, account);
    const path = `${V1}/monitors/${monitor.id}`;
    const token = monitor.heartbeat_token;
    expect((await under(BOTH, { token }).post(`/heartbeat/${monitor.id}`)).status).toBe(200);
    expect((await client.get(path)).body.heartbeat_token).toBe(token);

    const replaced = (await client.post(`${path}/regenerate-heartbeat-token`)).body.heartbeat_token;
    expect((await under(BOTH, { token: replaced }).post(`/heartbeat/${monitor.id}`)).status).toBe(200);
    expect((await under(NEW, { token: replaced }).post(`/heartbeat/${monitor.id}`)).status).toBe(200);
    expect((await under(BOTH, { token }).post(`/heartbeat/${monitor.id}`)).status).toBe(401);
  });

  it("that was replaced cannot be forged by a thief of the key before", async () => {
    const monitor = await createHeartbeat(account);
    await under(BOTH, account).post(`${V1}/monitors/${monitor.id}/regenerate-heartbeat-token`);
    const [row] = await db.select().from(monitors).where(eq(monitors.id, monitor.id));
    expect(row).toMatchObject({ credential_version: 2, credential_key: 2 });
    for (const credential_version of [1, 2, 3]) {
      const credential = { monitor_id: monitor.id, credential_version, credential_key: 1 };
      const token = mintPushToken(OLD, "beat", credential);
      expect((await under(BOTH, { token }).post(`/heartbeat/${monitor.id}`)).status).toBe(401);
    }
  });

  it("whose key was removed is replaced by one that works", async () => {
    const monitor = await createHeartbeat(account);
    expect((await under(NEW, { token: monitor.heartbeat_token }).post(`/heartbeat/${monitor.id}`)).status).toBe(401);
    await sweep(NEW);
    const { body } = await under(NEW, account).get(`${V1}/monitors/${monitor.id}`);
    expect(body.heartbeat_token).not.toBe(monitor.heartbeat_token);
    expect((await under(NEW, { token: body.heartbeat_token }).post(`/heartbeat/${monitor.id}`)).status).toBe(200);
  });
});

describe("a password", () => {
  it("is hashed again at the next sign-in, after which the key before is not needed", async () => {
    const [account, absent] = [await createAccountWithPassword(), await createAccountWithPassword()];
    expect((await signIn(BOTH, account.email)).status).toBe(200);
    const hashOf = async ({ user_id }: Account) =>
      (await db.select().from(passwords).where(eq(passwords.user_id, user_id)))[0]?.hash;
    expect(await hashOf(account)).toContain(",k=2$");
    expect((await signIn(NEW, account.email)).status).toBe(200);
    expect((await signIn(NEW, absent.email)).status).toBe(401);
  });
});

describe("a request repeated with its Idempotency-Key across a change of the key", () => {
  it("is answered with what it made, and refused with another body", async () => {
    const account = await createAccount();
    const headers = { "idempotency-key": "across the change" };
    const post = (settings: Record<string, string>, slug: string) =>
      createClientUnder(settings, account.token).post(`${V1}/status-pages`, { name: "Shop", slug }, headers);
    const slug = `across-${account.user_id}`;
    const first = await post({}, slug);
    const again = await post(BOTH, slug);
    expect([first.status, again.status, again.body.id]).toEqual([201, 201, first.body.id]);
    expect((await post(BOTH, `${slug}-2`)).status).toBe(422);
    expect((await account.client.get(`${V1}/status-pages`)).body).toHaveLength(1);
  });
});

describe("what depends on earlier keys", () => {
  it("is shown to the operator, and nothing while there is one key", async () => {
    const { body } = await under(BOTH, operator).get(`${CORE}/overview`);
    expect(body.service.root_keys).toMatchObject({ current: 2, earlier: [1] });
    const before = body.service.root_keys;
    const account = await createAccountWithPassword();
    await createHeartbeat(account);
    await createWebhook(account, { secret: "a secret of the receiver" });
    await createPage(account, { password_hash: hashPassword(settingsOf(env), "of the page") });
    const after = (await under(BOTH, operator).get(`${CORE}/overview`)).body.service.root_keys;
    const names = ["sealed_values", "passwords", "page_passwords", "push_credentials"] as const;
    expect(names.map((name) => after[name] - before[name])).toEqual([1, 1, 1, 1]);
    await sweep(BOTH);
    expect((await under(BOTH, operator).get(`${CORE}/overview`)).body.service.root_keys.sealed_values).toBe(0);
    expect((await under(NEW, operator).get(`${CORE}/overview`)).body.service.root_keys).toBeNull();
  });
});
