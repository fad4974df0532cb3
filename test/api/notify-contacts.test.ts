import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { applicationKeys, notifyContacts } from "../../src/data/notify-contacts/table.ts";
import { newId } from "../../src/platform/ids.ts";
import { linkChat } from "../support/chats.ts";
import { V1 } from "../support/client.ts";
import { createContact } from "../support/contacts.ts";
import { createAccount } from "../support/factories.ts";
import { mailsTo } from "../support/mail.ts";
import { fakeDiscord, fakeSlack, fakeTelegram } from "../support/providers.ts";
import { codeOf, subscribe } from "../support/push-service.ts";
import { type Received, useSink } from "../support/sink.ts";

const sink = useSink();
const PATH = `${V1}/notify-contacts`;
const DAY_MS = 86_400_000;

afterEach(() => void vi.useRealTimers());

describe("POST /notify-contacts", () => {
  it("adds a contact that is not verified, and sends it a code", async () => {
    const account = await createAccount();
    const value = `${newId()}@example.com`;
    const answer = await account.client.post(PATH, { type: "email", value, label: " Night " });
    expect(answer).toMatchObject({ status: 201 });
    expect(answer.body).toEqual({
      id: expect.any(String),
      type: "email",
      value,
      label: "Night",
      verified: false,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(await mailsTo(value)).toMatchObject([{ text: expect.stringMatching(/Code: \d{8}/) }]);
    expect((await account.client.get(PATH)).body).toEqual([answer.body]);
  });

  it.each<[string, (url: string) => Record<string, unknown>, (request: Received) => Response]>([
    ["slack", (url) => ({ type: "slack", value: url }), fakeSlack],
    ["discord", (url) => ({ type: "discord", value: url }), fakeDiscord],
    [
      "telegram",
      () => ({ type: "telegram", value: "-7" }),
      (request) => fakeTelegram({ ...request, url: request.url.replace("/telegram", "") }),
    ],
    ["webhook", (url) => ({ type: "webhook", value: url }), () => new Response()],
  ])("sends the code by %s, and the code verifies the contact", async (type, body, fake) => {
    const account = await createAccount();
    const base = type === "telegram" ? "https://sink.test/telegram" : `https://sink.test/${newId()}`;
    const statuses: number[] = [];
    sink.serve(base, (request) => {
      const response = fake(request);
      statuses.push(response.status);
      return response;
    });
    if (type === "telegram") await linkChat(account, "telegram", "-7");
    const { body: contact } = await account.client.post(PATH, body(base));
    await vi.waitFor(() => expect(statuses).toHaveLength(1));
    expect(statuses[0]).toBeLessThan(300);
    const [code] =
      /\b\d{8}\b/.exec(JSON.parse(sink.received[0]?.body ?? "{}").data?.code ?? sink.received[0]?.body) ?? [];
    const verified = await account.client.post(`${PATH}/${contact.id}/verify`, { code });
    expect(verified).toMatchObject({ status: 200, body: { id: contact.id, verified: true } });
  });

  it.each([
    ["a number without a plus", { type: "sms", value: "030123456" }, "value must be a number such as +4930123456"],
    [
      "a number for which nobody pays",
      { type: "phone", value: "+4930123456" },
      "value cannot be used: no Twilio channel",
    ],
    ["another type", { type: "pigeon", value: "x" }, "type must be one of"],
    ["no address", { type: "email", value: "ops" }, "value must be an e-mail address"],
    ["a private address", { type: "webhook", value: "https://10.0.0.1/x" }, "value cannot be used:"],
    ["plain http", { type: "webhook", value: "http://example.com/" }, "value cannot be used:"],
    ["a chat id that is none", { type: "telegram", value: "my chat" }, "value must be telegram:chat:<id>"],
    ["no value", { type: "email" }, "value is required"],
  ])("refuses %s", async (_name, body, error) => {
    const account = await createAccount();
    const answer = await account.client.post(PATH, body);
    expect([answer.status, answer.body.error.slice(0, error.length)]).toEqual([400, error]);
    expect((await account.client.get(PATH)).body).toEqual([]);
    expect(sink.received).toEqual([]);
  });

  it("stores no address in the clear", async () => {
    const { id, value } = await createContact(await createAccount());
    const [row] = await openDb(env.DB).select().from(notifyContacts).where(eq(notifyContacts.id, id));
    expect(JSON.stringify(row)).not.toContain(value);
  });
});

describe("a browser as a contact", () => {
  it("gets a test message, whose code verifies it, and its address is shown to nobody", async () => {
    const account = await createAccount();
    const browser = await subscribe(sink, account);
    const answer = await account.client.post(PATH, { type: "push", value: browser.value, label: "Phone" });
    expect(answer).toMatchObject({
      status: 201,
      body: { type: "push", label: "Phone", value: "https://sink.test/***", verified: false },
    });
    const code = await codeOf(browser);
    expect(browser.arrived).toMatchObject([
      {
        ttl: 3_600,
        urgency: "high",
        message: { title: "Alerts arrive here", verify: `/app/account/contacts/${answer.body.id}/verify` },
      },
    ]);
    expect(await account.client.post(`${PATH}/${answer.body.id}/verify`, { code })).toMatchObject({
      status: 200,
      body: { verified: true },
    });
    const [row] = await openDb(env.DB).select().from(notifyContacts).where(eq(notifyContacts.id, answer.body.id));
    expect(JSON.stringify([row, (await account.client.get(PATH)).body])).not.toContain(browser.endpoint);
  });

  it("subscribes with one key of the whole installation, whose private half no row shows", async () => {
    const keyOf = async () => (await (await createAccount()).client.get(`${PATH}/application-key`)).body;
    const keys = await Promise.all([keyOf(), keyOf(), keyOf()]);
    expect(new Set(keys.map(({ public_key }) => public_key)).size).toBe(1);
    expect(keys[0]).toEqual({ public_key: expect.stringMatching(/^B[\w-]{86}$/) });
    const rows = await openDb(env.DB).select().from(applicationKeys);
    expect(rows).toMatchObject([{ sealed: expect.stringMatching(/^v1/) }]);
    expect(JSON.stringify(rows)).not.toContain("private_key");
  });

  it.each<[string, (given: Subscribed) => unknown, string]>([
    ["no JSON", () => "https://push.example/x", "value must be the subscription of a browser"],
    ["no keys", ({ endpoint }) => ({ endpoint }), "value must be the subscription of a browser"],
    [
      "a key that is no point of the curve",
      (given) => ({ ...given, keys: { ...given.keys, p256dh: `B${"A".repeat(86)}` } }),
      "value must be the subscription of a browser",
    ],
    ["plain http", (given) => ({ ...given, endpoint: "http://push.example/x" }), "value cannot be used:"],
    ["a private address", (given) => ({ ...given, endpoint: "https://10.0.0.1/x" }), "value cannot be used:"],
    ["an inner name", (given) => ({ ...given, endpoint: "https://metadata.internal/x" }), "value cannot be used:"],
    ["a password", (given) => ({ ...given, endpoint: "https://a:b@push.example/x" }), "value cannot be used:"],
  ])("is refused with %s", async (_name, change, error) => {
    const account = await createAccount();
    const given = JSON.parse((await subscribe(sink, account)).value);
    const changed = change(given);
    const value = typeof changed === "string" ? changed : JSON.stringify(changed);
    const answer = await account.client.post(PATH, { type: "push", value });
    expect([answer.status, answer.body.error.slice(0, error.length)]).toEqual([400, error]);
    expect(sink.received).toEqual([]);
  });
});

interface Subscribed {
  endpoint: string;
  keys: { p256dh: string; auth: string };
}

describe("POST /notify-contacts/{id}/verify", () => {
  it.each([
    ["another code", (code: string) => (code === "00000000" ? "00000001" : "00000000"), "code is wrong or expired"],
    ["no digits", () => "x", "code must be the 8 digits of the message"],
  ])("refuses %s", async (_name, change, error) => {
    const account = await createAccount();
    const { id, code } = await createContact(account);
    const answer = await account.client.post(`${PATH}/${id}/verify`, { code: change(code) });
    expect([answer.status, answer.body.error]).toEqual([400, error]);
    expect((await account.client.get(PATH)).body).toMatchObject([{ verified: false }]);
  });

  it("refuses a code after a day", async () => {
    const account = await createAccount();
    const { id, code } = await createContact(account);
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + DAY_MS);
    expect((await account.client.post(`${PATH}/${id}/verify`, { code })).status).toBe(400);
  });

  it("answers the same a second time", async () => {
    const account = await createAccount();
    const { id, code } = await createContact(account);
    const first = await account.client.post(`${PATH}/${id}/verify`, { code });
    expect(await account.client.post(`${PATH}/${id}/verify`, { code })).toMatchObject({
      status: 200,
      body: first.body,
    });
  });
});

describe("a contact", () => {
  it("exists for its user alone", async () => {
    const [account, other] = [await createAccount(), await createAccount()];
    const { id, code } = await createContact(account);
    expect((await other.client.post(`${PATH}/${id}/verify`, { code })).status).toBe(404);
    expect((await other.client.delete(`${PATH}/${id}`)).status).toBe(404);
    expect((await other.client.get(PATH)).body).toEqual([]);
  });

  it("is gone once it is deleted", async () => {
    const account = await createAccount();
    const { id } = await createContact(account);
    expect((await account.client.delete(`${PATH}/${id}`)).status).toBe(204);
    expect((await account.client.delete(`${PATH}/${id}`)).status).toBe(404);
    expect((await account.client.get(PATH)).body).toEqual([]);
  });
});
