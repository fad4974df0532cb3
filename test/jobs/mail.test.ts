import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import PostalMime from "postal-mime";
import { afterEach, describe, expect, inject, it, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { createApp } from "../../src/app.ts";
import { openDb, runBatch } from "../../src/data/db.ts";
import { mailOutbox } from "../../src/data/mail/table.ts";
import { insertMail } from "../../src/data/mail/write.ts";
import { WAKE_GRACE_MS } from "../../src/data/outbox/rows.ts";
import { sendMailBatch, sweepMail } from "../../src/delivery/mail.ts";
import { renderLetter } from "../../src/mail/letter-html.ts";
import { sealMail } from "../../src/outbox/mail.ts";
import type { Env } from "../../src/platform/env.ts";
import { newId } from "../../src/platform/ids.ts";
import { settingsOf } from "../../src/platform/settings.ts";
import { createAccount, createPage } from "../support/factories.ts";
import { recordingEnv } from "../support/queues.ts";

const db = openDb(env.DB);
const HTTP = { MAIL_FROM: "vigil@example.com", MAIL_HTTP_URL: "https://mail.test/send", MAIL_HTTP_TOKEN: "mail-token" };

const ports = inject("mail");
const SMTP = {
  MAIL_FROM: "Überwachung <vigil@example.com>",
  SMTP_URL: `smtp://127.0.0.1:${ports.smtp}?tls=off`,
  // What a tenant may reach is another matter than where the operator's own server stands.
  EGRESS_ALLOW: "",
};

afterEach(() => vi.restoreAllMocks());

async function post() {
  const mail = { to: `${newId()}@example.com`, subject: "Hello", text: "There is a link in here." };
  await db.delete(mailOutbox);
  await runBatch(db, [insertMail(db, await sealMail({ settings: settingsOf(env), now: Date.now() }, mail))]);
  const read = async () => (await db.select().from(mailOutbox))[0];
  return { mail, read };
}

/** A sweep after the messages' own wake-up was lost, and the consumer that it wakes. */
const sweep = async (changes: Partial<Env> & Record<string, unknown>, later = 0) => {
  const { env: bindings, mail } = recordingEnv(changes);
  const scope = { ...jobScope(bindings, "test"), now: Date.now() + WAKE_GRACE_MS + later };
  await sweepMail(scope);
  for (const { body } of mail) await sendMailBatch(scope, body);
};

describe("mail", () => {
  it("stays in the outbox, encrypted, while nothing is configured that sends", async () => {
    const fetched = vi.spyOn(globalThis, "fetch");
    const { mail, read } = await post();
    await sweep({});
    expect(await read()).toMatchObject({ state: "pending", attempt: 0, sealed: expect.any(String) });
    expect(JSON.stringify(await read())).not.toContain(mail.to);
    expect(fetched).not.toHaveBeenCalled();
  });

  it("leaves right after the request that caused it, without waiting for the minute's sweep", async () => {
    const fetched = vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("", { status: 202 }));
    await db.delete(mailOutbox);
    const owner = await createAccount();
    const pageId = await createPage(owner);
    const context = createExecutionContext();
    const email = `${newId()}@example.com`;
    const request = new Request(`http://vigil.test/api/uptime/v1/status-pages/${pageId}/members`, {
      method: "POST",
      headers: { authorization: `Bearer ${owner.token}`, "content-type": "application/json" },
      body: JSON.stringify({ email, role: "editor" }),
    });
    expect((await createApp().fetch(request, { ...env, ...HTTP }, context)).status).toBe(201);
    await waitOnExecutionContext(context);
    expect(fetched.mock.calls.map(([, init]) => JSON.parse(String(init?.body)).to)).toEqual([email]);
    expect((await db.select().from(mailOutbox))[0]).toMatchObject({ state: "sent", attempt: 1 });
    await sweep(HTTP);
    expect(fetched).toHaveBeenCalledTimes(1);
  });

  it("goes to the mail service once, and leaves no text behind", async () => {
    const fetched = vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("", { status: 202 }));
    const { mail, read } = await post();
    await sweep(HTTP);
    await sweep(HTTP);
    expect(fetched).toHaveBeenCalledTimes(1);
    const [url, init] = fetched.mock.calls[0] ?? [];
    expect([url, JSON.parse(String(init?.body))]).toEqual([
      HTTP.MAIL_HTTP_URL,
      { from: HTTP.MAIL_FROM, ...mail, html: renderLetter(mail) },
    ]);
    const headers = new Headers(init?.headers);
    expect(headers.get("authorization")).toBe("Bearer mail-token");
    expect(headers.get("idempotency-key")).toBe((await read())?.id);
    expect(await read()).toMatchObject({ state: "sent", sealed: null, attempt: 1 });
  });

  it("goes by the platform's binding where there is one", async () => {
    const sent: unknown[] = [];
    const MAIL = { send: async (message: unknown) => sent.push(message) };
    const { mail, read } = await post();
    await sweep({ ...HTTP, MAIL });
    expect(sent).toEqual([{ from: HTTP.MAIL_FROM, ...mail, html: renderLetter(mail) }]);
    expect((await read())?.state).toBe("sent");
    const named = await post();
    await sweep({ MAIL, MAIL_FROM: "Läden <vigil@example.com>" });
    const html = renderLetter(named.mail);
    expect(sent[1]).toEqual({ from: { name: "Läden", email: "vigil@example.com" }, ...named.mail, html });
  });

  it("is tried again later when the binding refuses it, without a word of addresses in what is recorded", async () => {
    const { mail, read } = await post();
    const MAIL = { send: async () => Promise.reject(new Error(`cannot reach <${mail.to}>: denied`)) };
    await sweep({ ...HTTP, MAIL });
    expect(await read()).toMatchObject({ state: "pending", attempt: 1, error: "Error: cannot reach <…>: denied" });
  });

  it("is tried again later when the binding never answers, which costs no other message an attempt", async () => {
    await post();
    const other = { to: "bob@example.com", subject: "Hello", text: "Another one." };
    await runBatch(db, [insertMail(db, await sealMail({ settings: settingsOf(env), now: Date.now() }, other))]);
    const send = vi.fn(() => new Promise(() => {}));
    await sweep({ ...HTTP, MAIL: { send }, MAIL_TIMEOUT_MS: 50 });
    const rows = (await db.select().from(mailOutbox)).sort((a, b) => b.attempt - a.attempt);
    const error = "the mail binding did not answer within 50 ms";
    expect(rows).toMatchObject([
      { state: "pending", attempt: 1, error },
      { state: "pending", attempt: 0, error: null },
    ]);
    expect(send).toHaveBeenCalledTimes(1);
  });

  it.each([
    ["later when the service fails", 503, { state: "pending", error: "the mail service answered 503" }],
    ["later when it is asked too much", 429, { state: "pending" }],
    ["never when the service refuses it", 400, { state: "failed", error: "the mail service answered 400" }],
  ])("is tried again %s", async (_name, status, expected) => {
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("", { status }));
    const { read } = await post();
    await sweep(HTTP);
    const row = await read();
    expect(row).toMatchObject({ ...expected, attempt: 1 });
    if (expected.state === "pending") expect(row?.next_attempt_at).toBeGreaterThan(Date.now());
  });

  it("is given up after its last delay", async () => {
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("", { status: 500 }));
    const { read } = await post();
    const settings = { ...HTTP, DELIVERY_RETRY_MS: "1000,1000" };
    for (const later of [0, 60_000, 120_000]) await sweep(settings, later);
    expect(await read()).toMatchObject({ state: "failed", attempt: 3 });
  });

  it("is sent once when two sweeps meet", async () => {
    const fetched = vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response(""));
    const { read } = await post();
    await Promise.all([sweep(HTTP), sweep(HTTP)]);
    expect(fetched).toHaveBeenCalledTimes(1);
    const [row] = await db
      .select()
      .from(mailOutbox)
      .where(eq(mailOutbox.id, (await read())?.id ?? ""));
    expect(row?.state).toBe("sent");
  });
});

/** What the mail server was given for one recipient, so far. */
async function receivedBy(to: string): Promise<{ connection: number; content: string }[]> {
  return (await fetch(`http://127.0.0.1:${ports.received}/${to}`)).json();
}

describe("mail by the operator's own server", () => {
  /** Puts mail for these into an empty outbox, the first one first. */
  async function queue(...names: string[]) {
    await db.delete(mailOutbox);
    const now = Date.now() - 1000;
    const mails = names.map((name) => ({
      to: `${name}.${newId()}@example.org`,
      subject: "Störung",
      text: ".\nGrüße\n",
    }));
    for (const [index, mail] of mails.entries()) {
      await runBatch(db, [insertMail(db, await sealMail({ settings: settingsOf(env), now: now + index }, mail))]);
    }
    const rows = () => db.select().from(mailOutbox).orderBy(mailOutbox.created_at);
    return { addresses: mails.map(({ to }) => to), rows };
  }

  it("is handed over once, regardless of what else is configured, and is known by its id", async () => {
    const fetched = vi.spyOn(globalThis, "fetch");
    const { addresses, rows } = await queue("ann");
    const [id] = (await rows()).map((row) => row.id);
    const MAIL = { send: async () => Promise.reject(new Error("not this way")) };
    await sweep({ ...HTTP, ...SMTP, MAIL });
    await sweep({ ...HTTP, ...SMTP, MAIL });
    expect(fetched).not.toHaveBeenCalled();
    expect(await rows()).toMatchObject([{ state: "sent", sealed: null, attempt: 1, error: null }]);
    const [mail, ...others] = await receivedBy(addresses[0] ?? "");
    expect(others).toEqual([]);
    expect(await PostalMime.parse(mail?.content ?? "")).toMatchObject({
      messageId: `<${id}@example.com>`,
      from: { name: "Überwachung", address: "vigil@example.com" },
      to: [{ address: addresses[0] }],
      subject: "Störung",
      text: expect.stringMatching(/^\.\nGrüße\n/),
    });
  });

  it("goes over one connection, past those that are refused", async () => {
    const { addresses, rows } = await queue("ann", "greylisted", "unknown", "bob");
    await sweep(SMTP);
    expect(await rows()).toMatchObject([
      { state: "sent" },
      { state: "pending", attempt: 1, error: "mail server: 451 4.7.1 to the recipient" },
      { state: "failed", attempt: 1, error: "mail server: 550 5.1.1 to the recipient" },
      { state: "sent" },
    ]);
    const [first] = await receivedBy(addresses[0] ?? "");
    const [last] = await receivedBy(addresses[3] ?? "");
    expect(first?.connection).toBe(last?.connection);
  });

  it("is the same message, byte by byte, when the server took it and its answer was lost", async () => {
    const { addresses, rows } = await queue("dropped");
    await sweep(SMTP);
    expect(await rows()).toMatchObject([
      { state: "pending", attempt: 1, error: "mail server: connection closed before a valid answer" },
    ]);
    await sweep(SMTP, 120_000);
    expect(await rows()).toMatchObject([{ state: "sent", attempt: 2, error: null }]);
    const contents = (await receivedBy(addresses[0] ?? "")).map(({ content }) => content);
    expect(contents).toHaveLength(2);
    expect(new Set(contents).size).toBe(1);
  });

  it.each([
    ["hangs", SMTP.SMTP_URL, "mail server: no answer within 300 ms"],
    ["is down", `smtp://127.0.0.1:${inject("outside").closed}`, "mail server: connection refused"],
    ["says nothing", `smtp://127.0.0.1:${inject("outside").silent}`, "mail server: no answer within 300 ms"],
    ["is something else", `smtp://127.0.0.1:${inject("outside").garbage}`, "mail server: the answer is not valid SMTP"],
    [
      "has no certificate that is trusted",
      `smtps://localhost:${inject("tls").good}`,
      "mail server: TLS handshake failed or certificate not valid",
    ],
    ["does not offer STARTTLS", `smtp://127.0.0.1:${ports.smtp}`, "mail server: the server does not offer STARTTLS"],
  ])("costs one message an attempt when the server %s, and the others none", async (_name, SMTP_URL, error) => {
    const { rows } = await queue("hanging", "bob");
    await sweep({ ...SMTP, SMTP_URL, MAIL_TIMEOUT_MS: 300 });
    const [first, second] = await rows();
    expect(first).toMatchObject({ state: "pending", attempt: 1, error });
    expect(first?.next_attempt_at).toBeGreaterThan(Date.now());
    expect(second).toMatchObject({ state: "pending", attempt: 0, error: null });
  });
});
