import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, describe, expect, it, vi } from "vitest";
import { jobDeps } from "../../src/access/deps.ts";
import { openDb, runBatch } from "../../src/data/db.ts";
import { mailOutbox } from "../../src/data/mail.table.ts";
import { prepareMail, sweepMail } from "../../src/delivery/mail.ts";
import type { Env } from "../../src/platform/env.ts";
import { newId } from "../../src/platform/ids.ts";
import { settingsOf } from "../../src/platform/settings.ts";

const db = openDb(env.DB);
const HTTP = { MAIL_FROM: "vigil@example.com", MAIL_HTTP_URL: "https://mail.test/send", MAIL_HTTP_TOKEN: "mail-token" };

afterEach(() => vi.restoreAllMocks());

async function post() {
  const mail = { to: `${newId()}@example.com`, subject: "Hello", text: "There is a link in here." };
  await db.delete(mailOutbox);
  await runBatch(db, await prepareMail({ db, settings: settingsOf(env), now: Date.now() }, mail));
  const read = async () => (await db.select().from(mailOutbox))[0];
  return { mail, read };
}

const sweep = (changes: Partial<Env> & Record<string, unknown>, later = 0) => {
  const deps = jobDeps({ ...env, ...changes }, "test");
  return sweepMail({ ...deps, now: () => Date.now() + later });
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

  it("goes to the mail service once, and leaves no text behind", async () => {
    const fetched = vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("", { status: 202 }));
    const { mail, read } = await post();
    await sweep(HTTP);
    await sweep(HTTP);
    expect(fetched).toHaveBeenCalledTimes(1);
    const [url, init] = fetched.mock.calls[0] ?? [];
    expect([url, JSON.parse(String(init?.body))]).toEqual([HTTP.MAIL_HTTP_URL, { from: HTTP.MAIL_FROM, ...mail }]);
    expect(new Headers(init?.headers).get("authorization")).toBe("Bearer mail-token");
    expect(await read()).toMatchObject({ state: "sent", sealed: null, attempt: 1 });
  });

  it("goes by the platform's binding where there is one", async () => {
    const sent: unknown[] = [];
    const MAIL = { send: async (message: unknown) => sent.push(message) };
    const { mail, read } = await post();
    await sweep({ ...HTTP, MAIL });
    expect(sent).toEqual([{ from: HTTP.MAIL_FROM, ...mail }]);
    expect((await read())?.state).toBe("sent");
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
    for (const later of [0, 2000, 4000]) await sweep(settings, later);
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
