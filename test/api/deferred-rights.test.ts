import { env, exports } from "cloudflare:workers";
import { and, eq, isNotNull, ne } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { beforeAll, describe, expect, it, vi } from "vitest";
import security from "../../docs/security.md?raw";
import { jobScope } from "../../src/access/scope.ts";
import { accountLinks } from "../../src/data/account-links/table.ts";
import { insertAudits } from "../../src/data/audit/write.ts";
import { openDb, runBatch } from "../../src/data/db.ts";
import { linkedSignIns } from "../../src/data/linked-sign-ins/table.ts";
import { notifyContacts } from "../../src/data/notify-contacts/table.ts";
import { passkeys } from "../../src/data/passkeys/table.ts";
import { providerSessions } from "../../src/data/provider-sessions/table.ts";
import { sessions } from "../../src/data/sessions/table.ts";
import { recoveryCodes, twoFactors } from "../../src/data/two-factor/table.ts";
import { users } from "../../src/data/users/table.ts";
import { webhooks } from "../../src/data/webhooks/table.ts";
import { sealTokens } from "../../src/features/sign-in/provider-session.ts";
import { askProviders } from "../../src/features/sign-in/refresh.ts";
import { acknowledgeToken } from "../../src/platform/acknowledge-tokens.ts";
import { sha256Hex } from "../../src/platform/credentials.ts";
import { newId } from "../../src/platform/ids.ts";
import { createRecoveryCodes, hashRecoveryCode } from "../../src/platform/totp.ts";
import type { AccessTeam } from "../support/access-team.ts";
import { agentClient, enrollAgent, mintInstallToken } from "../support/agents.ts";
import { insertChatAccountOf, linkChat } from "../support/chats.ts";
import { CORE, createClient, createClientUnder, V1 } from "../support/client.ts";
import { createContact, createVerifiedContact } from "../support/contacts.ts";
import { type Account, createAccount, createMonitor } from "../support/factories.ts";
import { createBrowser } from "../support/forms.ts";
import { createGitHub } from "../support/github-actions.ts";
import { createIdentityProvider, type IdentityProvider } from "../support/identity-provider.ts";
import { mailsTo } from "../support/mail.ts";
import {
  createMember,
  emailOf,
  insertBrowser,
  insertLinkedSignIn,
  insertPassword,
  insertSession,
  joinPage,
  mailTokenOf,
  PASSWORD,
  proveAddress,
  resetLinkOf,
  transferTokenOf,
} from "../support/members.ts";
import { createSchedule } from "../support/on-call.ts";
import { createVisitor, insertIncident } from "../support/pages.ts";
import { insertPasskeyOf } from "../support/passkeys.ts";
import { beat, createHeartbeat } from "../support/pushes.ts";
import { useSink } from "../support/sink.ts";
import { useSubscriberQueue } from "../support/subscribers.ts";
import { createWebhook } from "../support/webhooks.ts";

const db = openDb(env.DB);
const sink = useSink();
const queue = useSubscriberQueue();
/** Parts are read ahead; that many take several. */
const EXPORTED = 2_600;
const [RECOVERY_CODE = ""] = createRecoveryCodes();
const visit = createVisitor({ TELEGRAM_WEBHOOK_SECRET: "chat-secret" });

/** Sent from the chat; Telegram numbers them. */
let updates = 0;
let github: AccessTeam;
let works: IdentityProvider;
beforeAll(async () => {
  works = await createIdentityProvider(sink, "https://sink.test/works");
  sink.serve("https://sink.test/telegram", () => Response.json({ ok: true, result: { message_id: 77, date: 1 } }));
  const job = { repository: "shop/site", repository_id: "1", repository_owner: "shop", ref: "refs/heads/main" };
  github = await createGitHub(sink, "repo:shop/site:ref:refs/heads/main", job);
});

const NEW_PASSWORD = "an entirely new one";

/** An admin of a page of somebody else, who has a password, and another admin, who could own the page. */
interface Stage {
  owner: Account;
  page: string;
  person: Account;
  member_id: string;
  heir: Account;
}

async function createStage(): Promise<Stage> {
  const owner = await createAccount();
  const { id: page, member: person, member_id } = await createMember(owner, { role: "admin" });
  const heir = await createAccount();
  await joinPage(heir, page, { role: "admin" });
  await insertPassword(person);
  return { owner, page, person, member_id, heir };
}

const EVENTS: Record<string, (stage: Stage) => Promise<unknown>> = {
  Removal: ({ owner, page, member_id }) => owner.client.delete(`${V1}/status-pages/${page}/members/${member_id}`),
  Demotion: ({ owner, page, member_id }) =>
    owner.client.put(`${V1}/status-pages/${page}/members/${member_id}`, { role: "viewer" }),
  "New password": async ({ person }) => {
    const token = (await resetLinkOf(emailOf(person))).split("token=")[1];
    const body = { token, password: NEW_PASSWORD };
    expect((await createClient().post(`${CORE}/auth/password/reset`, body)).status).toBe(204);
  },
  "Proof of the address": ({ person }) => proveAddress(emailOf(person), NEW_PASSWORD),
  Deactivation: async ({ person }) =>
    (await createAccount({ operator: true })).client.post(`${CORE}/deactivated-accounts`, { email: emailOf(person) }),
  Deletion: async ({ person }) => {
    const headers = await insertBrowser(person);
    const body = { password: PASSWORD, code: RECOVERY_CODE };
    const { status } = await createClient().request("DELETE", `${CORE}/user`, body, headers);
    expect(status).toBe(204);
  },
  Transfer: async (stage) => {
    const accept = await offer(stage, stage.heir);
    expect(await accept()).toBe(true);
  },
};

async function offer({ owner, page }: Stage, to: Account): Promise<() => Promise<boolean>> {
  const path = `${V1}/status-pages`;
  const body = { user_id: to.user_id };
  await owner.client.request("POST", `${path}/${page}/transfer`, body, await insertBrowser(owner));
  const token = await transferTokenOf(emailOf(to));
  return async () =>
    isOk(createClient().request("POST", `${path}/transfers/accept`, { token }, await insertBrowser(to)));
}

const named = (page: string) => ({ name: newId(), status_page_id: page });
const isOk = async (answer: Promise<{ status: number }>) => (await answer).status < 300;
const has =
  (table: SQLiteTable & { user_id: SQLiteColumn }, { user_id }: Account) =>
  async () =>
    (await db.$count(table, eq(table.user_id, user_id))) > 0;
const monitorOn = (page: string) => ({ ...named(page), type: "http", target: "http://sink.test/", paused: true });

async function isSaidInChat(chat: number, text: string, pattern: RegExp, by = 9): Promise<boolean> {
  const headers = { "content-type": "application/json", "x-telegram-bot-api-secret-token": "chat-secret" };
  const message = { text, chat: { id: chat, type: "private" }, from: { id: by, username: "ada" } };
  updates += 1;
  const body = JSON.stringify({ update_id: updates, message });
  return pattern.test((await visit("/integrations/telegram/webhook", headers, { method: "POST", body })).text);
}

const linkTokenOf = async ({ person, page }: Stage) =>
  (await person.client.post(`${V1}/status-pages/${page}/telegram/token`)).body.token;
const chatOf = ({ page }: Pick<Stage, "page">) => Number.parseInt(page.slice(-8), 16);

async function trustWorkflow({ person }: Stage): Promise<() => Promise<{ status: number; token: string }>> {
  const trusted = { repository: "shop/site", branch: "main", scopes: ["monitors.write"] };
  const { body } = await person.client.post(`${CORE}/user/trusted-workflows`, trusted);
  return async () => {
    const token = await github.assert({});
    const answer = await createClient().post(`${CORE}/auth/workflow-token`, { trusted_workflow_id: body.id, token });
    return { status: answer.status, token: answer.body.token };
  };
}

/** What the newest mail to somebody leads to. */
async function pathIn(address: string, pattern: RegExp): Promise<string> {
  const text = (await mailsTo(address)).at(-1)?.text ?? "";
  const { pathname, search } = new URL(pattern.exec(text)?.[0] ?? `http://no-link.test/in ${text}`);
  return pathname + search;
}

const mayWrite = (token: string, page: string) => isOk(createClient(token).post(`${V1}/monitors`, monitorOn(page)));

/** Makes it, and gives whether it works. */
const KINDS: Record<string, (stage: Stage) => Promise<() => Promise<boolean>>> = {
  "Session of a browser": async ({ person, page }) => {
    const headers = await insertBrowser(person);
    return () => isOk(createClient().request("POST", `${V1}/groups`, named(page), headers));
  },
  Password: async ({ person }) => {
    return () => isOk(createClient().post(`${CORE}/auth/login`, { email: emailOf(person), password: PASSWORD }));
  },
  "Linked sign-in": async ({ person }) => {
    await insertLinkedSignIn(person);
    return has(linkedSignIns, person);
  },
  Passkey: async ({ person }) => {
    await insertPasskeyOf(person);
    await insertRecoveryCode(person);
    return has(passkeys, person);
  },
  "Authenticator app": async ({ person: { user_id }, person }) => {
    const times = { confirmed_at: 0, created_at: 0, updated_at: 0 };
    await db.insert(twoFactors).values({ user_id, sealed_secret: "", ...times });
    await insertRecoveryCode(person);
    return has(twoFactors, person);
  },
  "Reset or sign-in link": async ({ person: { user_id } }) => {
    const [id, now] = [newId(), Date.now()];
    const link = { id, user_id, kind: "sign_in" as const, token_hash: sha256Hex(id), expires_at: now + 3_600_000 };
    await db.insert(accountLinks).values({ ...link, created_at: now, updated_at: now });
    return async () => (await createBrowser().submit(`/app/sign-in/link?token=${id}`, {})).status === 303;
  },
  "API token":
    async ({ person, page }) =>
    () =>
      isOk(person.client.post(`${V1}/groups`, named(page))),
  "Trusted workflow": async (stage) => {
    const exchange = await trustWorkflow(stage);
    return async () => {
      const { status, token } = await exchange();
      return status === 201 && (await mayWrite(token, stage.page));
    };
  },
  "Token of a workflow's run": async (stage) => {
    const { token } = await (await trustWorkflow(stage))();
    return () => mayWrite(token, stage.page);
  },
  "Idempotency key": async ({ person, page }) => {
    const [group, headers] = [named(page), { "idempotency-key": newId() }];
    const send = () => isOk(person.client.post(`${V1}/groups`, group, headers));
    expect(await send()).toBe(true);
    return send;
  },
  "Metrics token": async ({ owner, person, page }) => {
    const { name } = await createMonitor(owner.client, named(page));
    const { body } = await person.client.post(`${CORE}/user/metrics-token`);
    return async () => (await visit("/metrics", { authorization: `Bearer ${body.token}` })).text.includes(name);
  },
  "Calendar address": async ({ owner, person, page }) => {
    const { id } = await createSchedule({ account: owner, page }, alwaysBy(person));
    const path = `${V1}/status-pages/${page}/on-call/schedules/${id}/calendar`;
    const address = new URL((await person.client.post(path)).body.url).pathname;
    return async () => (await visit(address)).status === 200;
  },
  "Link of a wall display": async ({ owner, person, page }) => {
    const { name } = await createMonitor(owner.client, named(page));
    const { body } = await person.client.post(`${CORE}/user/wall-links`, { name: "Office" });
    return async () => (await visit(new URL(body.url).pathname)).text.includes(name);
  },
  Invitation: async ({ person, page }) => {
    const email = `${newId()}@example.com`;
    await person.client.post(`${V1}/status-pages/${page}/members`, { email, role: "viewer" });
    const body = { token: await mailTokenOf(email), name: "Ada", password: PASSWORD };
    return () => isOk(createClient().post(`${V1}/status-pages/members/accept`, body));
  },
  "Ownership offer": (stage) => offer(stage, stage.person),
  "Install token": async ({ person, page }) => {
    const token = await mintInstallToken(person, `?status_page_id=${page}`);
    return () => isOk(agentClient(token).post(`${V1}/agents/enroll`, { hostname: "rack" }));
  },
  Agent: async ({ person, page }) => {
    const agent = await enrollAgent(person, { hostname: "rack" }, `?status_page_id=${page}`);
    return () => isOk(agent.client.get(`${V1}/agents/monitors`));
  },
  "Chat link token": async (stage) => {
    const token = await linkTokenOf(stage);
    return () => isSaidInChat(chatOf(stage), `/link ${token}`, /now shows the status page/);
  },
  "Linked chat": async (stage) => {
    const token = await linkTokenOf(stage);
    expect(await isSaidInChat(chatOf(stage), `/link ${token}`, /now shows the status page/)).toBe(true);
    return () => isSaidInChat(chatOf(stage), "/status", /No known problem/);
  },
  "Chat account": async ({ owner, person, page }) => {
    const [chat, chat_user_id] = [chatOf({ page }), String(Number.parseInt(page.slice(-8), 16))];
    await linkChat(owner, "telegram", chat_user_id, page);
    await insertChatAccountOf(person, { chat_user_id });
    return async () => {
      await insertIncident({ owner_id: owner.user_id, status_page_id: page });
      return isSaidInChat(chat, "/ack", /Acknowledged/, Number(chat_user_id));
    };
  },
  Webhook: async ({ person, page }) => {
    const { id } = await createWebhook(person, { status_page_id: page });
    return async () => (await db.$count(webhooks, and(eq(webhooks.id, id), eq(webhooks.is_active, true)))) > 0;
  },
  "Contact of a user": async ({ person, person: { user_id } }) => {
    await createVerifiedContact(person, { type: "email", value: `${newId()}@example.com` });
    const isTheirs = and(eq(notifyContacts.user_id, user_id), isNotNull(notifyContacts.verified_at));
    return async () => (await db.$count(notifyContacts, isTheirs)) > 0;
  },
  "Code of a contact": async ({ person }) => {
    const { id, code } = await createContact(person);
    return async () => {
      const path = `${V1}/notify-contacts/${id}/verify`;
      return isOk(createClient().request("POST", path, { code }, await insertBrowser(person)));
    };
  },
  "Running export of the audit log": async ({ owner, person, page }) => {
    const entry = {
      owner_id: owner.user_id,
      status_page_id: page,
      monitor_id: null,
      target_id: null,
      ip: null,
      data: {},
    };
    const about = { event_type: "page.updated", actor_type: "user" as const, actor_id: null, actor_name: "Ann" };
    const log = Array.from({ length: EXPORTED }, (_, n) => {
      return { id: newId(), ...entry, ...about, target_type: "status_page", summary: "changed", created_at: n };
    });
    await runBatch(db, [insertAudits(db, log)]);
    const headers = { authorization: `Bearer ${person.token}` };
    const url = `http://vigil.test${V1}/audit/export?status_page_id=${page}&event_type=page.updated`;
    const { body } = await exports.default.fetch(new Request(url, { headers }));
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = (await reader?.read())?.value ?? "";
    return async () => {
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) text += part.value;
      return text.split("\n").filter(Boolean).length >= EXPORTED;
    };
  },
  "Refresh token and ID token of a provider": async ({ person }) => {
    const session_id = await insertSession(person);
    const row = {
      session_id,
      provider_id: "works",
      issuer: "https://sink.test/works",
      sid: null,
      sealed: "",
      ask_at: 0,
    };
    await db.insert(providerSessions).values({ ...row, created_at: 0, updated_at: 0 });
    return async () => (await db.$count(providerSessions, eq(providerSessions.session_id, session_id))) > 0;
  },
  "Question to a provider about a session": async ({ person }) => {
    const [provider_id, { promise, resolve }] = [`p-${newId()}`, Promise.withResolvers<Response>()];
    const provider = await createIdentityProvider(sink, `https://sink.test/${provider_id}`);
    const { issuer } = provider;
    const settings = { id: provider_id, issuer, client_id: "vigil", refreshes_sessions: true };
    const operator = await createAccount({ operator: true });
    expect((await operator.client.post(`${CORE}/sign-in-providers`, settings)).status).toBe(201);
    const session_id = await insertSession(person);
    const linked_sign_in_id = await insertLinkedSignIn(person);
    await db.update(sessions).set({ linked_sign_in_id }).where(eq(sessions.id, session_id));
    const scope = jobScope(env, "test");
    const sealed = await sealTokens(scope, session_id, { sid: null, id_token: null, refresh_token: "first" });
    const times = { ask_at: 1, created_at: 1, updated_at: 1 };
    await db.insert(providerSessions).values({ session_id, provider_id, issuer, sid: null, sealed, ...times });
    const [asked, answer] = [vi.fn(), { access_token: "a", token_type: "bearer", refresh_token: "second" }];
    provider.refresh = () => {
      asked();
      return promise;
    };
    const asking = askProviders(scope, [session_id]);
    await vi.waitFor(() => expect(asked).toHaveBeenCalledOnce());
    return async () => {
      resolve(Response.json(answer));
      await asking;
      const renewed = and(eq(providerSessions.session_id, session_id), ne(providerSessions.sealed, sealed));
      return (await db.$count(providerSessions, renewed)) > 0;
    };
  },
  "What a provider said of somebody, until they confirm it": async ({ person }) => {
    works.user = { sub: newId(), email: emailOf(person), email_verified: true, name: "Ada" };
    const browser = createBrowser();
    const begun = await browser.open("/app/sign-in/with/works");
    const { pathname, search } = works.authorize(begun.headers.get("location") ?? "");
    const proof = /name="proof" value="([^"]+)"/.exec((await browser.open(pathname + search)).text)?.[1] ?? "";
    const confirm = async (password: string) =>
      (await browser.submit("/app/sign-in/with/works/confirm", { proof, password })).status === 303;
    return async () => (await confirm(PASSWORD)) || (await confirm(NEW_PASSWORD));
  },
  "Link of a subscriber": async ({ person, page }) => {
    const address = `${newId()}@example.com`;
    const invited = { status_page_id: page, channel: "email", endpoints: [address] };
    expect((await person.client.post(`${V1}/subscribers`, invited)).body).toMatchObject({ invited: 1 });
    await queue.drain();
    const link = await pathIn(address, /\S+\/subscribers\/confirm\?\S+/);
    return async () => (await visit(link, {}, { method: "POST" })).status === 200;
  },
  "Link to agree to mail or stop it": async ({ owner, person, page }) => {
    // Who hosts the service themselves answers for their mail.
    await db.update(users).set({ plan: "free" }).where(eq(users.id, owner.user_id));
    const address = `${newId()}@example.com`;
    const client = createClientUnder({ PUBLIC_URL: "http://vigil.test" }, person.token);
    await createWebhook({ ...person, client }, { status_page_id: page, provider: "email", url: `mailto:${address}` });
    const link = await pathIn(address, /\S+\/mail-consent\/\S+/);
    return async () => (await createBrowser().submit(link, { agree: "1" })).text.includes("Alerts are sent to you");
  },
  "Duty on call": async ({ owner, person, page, heir }) => {
    await createSchedule({ account: owner, page }, alwaysBy(person));
    return async () => {
      const { body } = await heir.client.get(`${V1}/status-pages/${page}/on-call`);
      return JSON.stringify(body.on_call_now).includes(person.user_id);
    };
  },
  "Acknowledge link": async ({ owner, person, page }) => {
    const id = await insertIncident({ owner_id: owner.user_id, status_page_id: page });
    const link = { id, sent_at: Date.now(), user_id: person.user_id };
    const path = `/acknowledge/${acknowledgeToken(env.ROOT_SECRET, link)}`;
    return async () => (await visit(path, {}, { method: "POST" })).status === 200;
  },
  "Ping key of a page": async ({ person, page }) => {
    const { body } = await person.client.put(`${V1}/status-pages/${page}/ping-key`, {});
    return async () => (await visit(`/ping/${body.key}/nightly?create=1`)).status === 201;
  },
  "Push credential of another tool": async ({ person, page }) => {
    const { id } = await createHeartbeat(person, { status_page_id: page });
    const token = newId();
    await person.client.put(`${V1}/monitors/${id}/push-alias`, { token });
    return () => isOk(createClient().get(`/api/push/${token}`));
  },
  "Heartbeat token, push key and secrets of a monitor": async ({ person, page }) => {
    const monitor = await createHeartbeat(person, { status_page_id: page });
    return () => isOk(beat(monitor));
  },
};

const alwaysBy = ({ user_id }: Account) => {
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  return { shifts: [{ user_id, start_at: at(-1), end_at: at(200) }] };
};

async function insertRecoveryCode({ user_id }: Account) {
  const code_hash = hashRecoveryCode(RECOVERY_CODE, { user_id });
  await db.insert(recoveryCodes).values({ id: newId(), user_id, code_hash, created_at: 0, updated_at: 0 });
}

const [head = [], , ...rows] = (security.split("## What ends what\n")[1]?.split("\n## ")[0] ?? "")
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .map((line) => line.slice(2, -2).split(" | "));
const cells = rows.flatMap(([kind = "", ...verdicts]) =>
  verdicts.flatMap((verdict, n) => (verdict === "–" ? [] : [{ kind, event: head[n + 1] ?? "", verdict }])),
);

describe("what outlives a request", () => {
  it("has a row for each kind that is tried, and a column for each event", () => {
    expect([rows.map(([kind]) => kind).sort(), head.slice(1)]).toEqual([
      Object.keys(KINDS).sort(),
      Object.keys(EVENTS),
    ]);
  });

  it.each(Object.keys(KINDS))("works while nothing happens: %s", async (kind) => {
    const works = await KINDS[kind]?.(await createStage());
    expect(await works?.()).toBe(true);
  });

  it.each(cells)("$event: $kind $verdict", async ({ kind, event, verdict }) => {
    const stage = await createStage();
    if (event === "Proof of the address") {
      const opened = { email_verified_at: null, vouched_by: stage.owner.user_id };
      await db.update(users).set(opened).where(eq(users.id, stage.person.user_id));
    }
    const works = await KINDS[kind]?.(stage);
    await EVENTS[event]?.(stage);
    expect(await works?.()).toBe(verdict === "stays");
  });
});
