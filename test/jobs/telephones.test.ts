import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { pageMembers } from "../../src/data/members/table.ts";
import { notifyContacts } from "../../src/data/notify-contacts/table.ts";
import { phoneBudgets } from "../../src/data/phone-budgets/table.ts";
import { createClientUnder, V1 } from "../support/client.ts";
import { browserOf } from "../support/dashboard-crawl.ts";
import { type Account, createAccount } from "../support/factories.ts";
import { mailsTo } from "../support/mail.ts";
import { emailOf } from "../support/members.ts";
import { createTeam, noticesOf, setPolicy, type Team, useVirtualClock } from "../support/on-call.ts";
import { PATIENCE } from "../support/patience.ts";
import { useSink } from "../support/sink.ts";
import { digitsIn, PUBLIC_URL, setUpTwilio, type Twilio } from "../support/twilio.ts";

const db = openDb(env.DB);
const sink = useSink();
const { pass, settle } = useVirtualClock("2026-03-02T02:00:00Z", { PUBLIC_URL });
const CONTACTS = `${V1}/notify-contacts`;
let numbers = 30_000_000;
/** Numbers are counted across accounts, so every test has its own. */
const freshNumber = () => `+49${++numbers}`;

const add = (account: Account, type: "sms" | "phone", value: string) =>
  account.client.post(CONTACTS, { type, value, label: "Night" });
const verify = (account: Account, id: string, code: string) =>
  account.client.post(`${CONTACTS}/${id}/verify`, { code });

/** The same account where limits hold. */
const limited = ({ token }: Account) => ({ client: createClientUnder({ RATE_LIMITS: "" }, token) });

/** The code that left for the last contact. */
async function codeFrom({ sent }: Twilio, count = 1): Promise<string> {
  await vi.waitFor(() => expect(sent).toHaveLength(count), PATIENCE);
  return digitsIn(sent.at(-1)?.Body ?? sent.at(-1)?.Twiml);
}

/** A number that its person verified by the code. */
async function addNumber(account: Account, twilio: Twilio, type: "sms" | "phone" = "sms") {
  const number = freshNumber();
  const { body } = await add(account, type, number);
  expect(await verify(account, body.id, await codeFrom(twilio))).toMatchObject({ status: 200 });
  twilio.sent.length = 0;
  return { id: String(body.id), number };
}

async function openIncident({ account, page }: Team, title = "Checkout fails") {
  // Waiting for codes moved the clock on.
  await pass(0);
  const { body } = await account.client.post(`${V1}/incidents`, { status_page_id: page, title });
  await settle();
  return {
    id: String(body.id),
    read: async () => (await account.client.get(`${V1}/incidents/${body.id}`)).body,
    escalation: async () => (await account.client.get(`${V1}/incidents/${body.id}/escalation`)).body,
  };
}

describe("a telephone number", () => {
  it.each(["sms", "phone"] as const)("becomes a contact (%s) by the code that is sent or read out", async (type) => {
    const account = await createAccount();
    const twilio = await setUpTwilio(sink, account, { kind: type === "sms" ? "sms" : "voice" });
    const number = freshNumber();
    const added = await add(account, type, number);
    expect(added).toMatchObject({ status: 201, body: { type, value: number, verified: false } });
    const code = await codeFrom(twilio);
    expect(twilio.sent).toMatchObject([{ To: number, From: "+15005550006" }]);
    expect(await verify(account, added.body.id, code)).toMatchObject({ status: 200, body: { verified: true } });
  });

  it("is shown with what the month has used, to its person and above the channel to who pays", async () => {
    const account = await createAccount();
    const twilio = await setUpTwilio(sink, account);
    await addNumber(account, twilio);
    const browser = await browserOf(account);
    expect((await browser.open("/app/account/contacts")).text).toContain("1 of 50 this month");
    const form = `/app/alerts/${twilio.channel.id}/edit`;
    expect((await browser.open(form)).text).toContain("1 of 50 messages and calls");
    await account.client.put(`${V1}/webhooks/${twilio.channel.id}`, { config: { people_monthly_max: "1" } });
    expect((await browser.open(form)).text).toContain("nobody is reached by it");
  });

  it("is reached by a member through the channel of the owner of a page, and of no other", async () => {
    const { account, member } = await createTeam();
    const stranger = await createAccount();
    const twilio = await setUpTwilio(sink, account);
    expect(await add(stranger, "sms", freshNumber())).toMatchObject({ status: 400 });
    expect(await add(member, "sms", freshNumber())).toMatchObject({ status: 201 });
    await codeFrom(twilio);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["in another country", {}, "+33612345678"],
    [
      "where the channel sends to its own number alone",
      { people_monthly_max: undefined, to: "+4930123456" },
      "+4930999999",
    ],
    ["that is none", {}, "030123456"],
    ["with words in it", {}, "+4930123456;x"],
  ])("%s is refused, and nothing is sent", async (_name, config, number) => {
    const account = await createAccount();
    const { sent } = await setUpTwilio(sink, account, config);
    expect(await add(account, "sms", number)).toMatchObject({ status: 400, body: { error: /^value / } });
    expect((await account.client.get(CONTACTS)).body).toEqual([]);
    expect(sent).toEqual([]);
  });

  it("is refused where nobody pays", async () => {
    const refusal = await add(await createAccount(), "sms", freshNumber());
    expect(refusal).toMatchObject({ status: 400, body: { error: expect.stringContaining("no Twilio channel") } });
  });

  it("is not verified by guessing: after five codes the right one is refused, too", async () => {
    const account = await createAccount();
    const twilio = await setUpTwilio(sink, account);
    const { body } = await add(account, "sms", freshNumber());
    const code = await codeFrom(twilio);
    const wrong = code === "00000000" ? "00000001" : "00000000";
    for (let n = 0; n < 5; n++) expect((await verify(account, body.id, wrong)).status).toBe(400);
    expect((await verify(account, body.id, code)).status).toBe(400);
  });

  it("gets few codes a day, by message and call together, and so does an account", async () => {
    const account = await createAccount();
    await setUpTwilio(sink, account);
    await setUpTwilio(sink, account, { kind: "voice" });
    const { client } = limited(account);
    const number = freshNumber();
    const statuses: number[] = [];
    for (const type of ["sms", "phone", "sms", "phone"]) {
      statuses.push((await client.post(CONTACTS, { type, value: number })).status);
    }
    expect(statuses).toEqual([201, 201, 201, 429]);
    const others: number[] = [];
    for (let n = 0; n < 3; n++)
      others.push((await client.post(CONTACTS, { type: "sms", value: freshNumber() })).status);
    expect(others).toEqual([201, 201, 429]);
  });

  it("costs the owner no more than the month allows, and the owner is notified once", async () => {
    const account = await createAccount();
    const twilio = await setUpTwilio(sink, account, { people_monthly_max: "1" });
    await addNumber(account, twilio);
    await add(account, "sms", freshNumber());
    await add(account, "sms", freshNumber());
    await vi.waitFor(async () => expect(await noticesOf(account.user_id)).toEqual(["webhook.failing"]), PATIENCE);
    expect(twilio.sent).toEqual([]);
    await vi.waitFor(async () => {
      const about = (await mailsTo(emailOf(account))).filter(({ subject }) => /sends no more messages/.test(subject));
      expect(about).toHaveLength(1);
    }, PATIENCE);
    await pass(31 * 24 * 60);
    await add(account, "sms", freshNumber());
    await vi.waitFor(() => expect(twilio.sent).toHaveLength(1), PATIENCE);
  });
});

describe("a text message of an escalation", () => {
  async function alarm(title?: string) {
    const team = await createTeam();
    const twilio = await setUpTwilio(sink, team.account);
    const { number } = await addNumber(team.member, twilio);
    await setPolicy(team, [{ level: 1, contacts: [{ type: "sms", value: team.member.user_id }] }]);
    const incident = await openIncident(team, title);
    const write = (fields: Record<string, string>, forged?: Parameters<Twilio["callBack"]>[2]) =>
      twilio.callBack(
        `/integrations/twilio/${twilio.channel.id}/messages`,
        { From: number, To: "+15005550006", MessageSid: `SM${Math.floor(++numbers)}`, ...fields },
        forged,
      );
    return { ...team, twilio, number, incident, write };
  }

  it("says in one part what is down, and its reply ACK acknowledges in the name of the person", async () => {
    const { member, twilio, number, incident, write } = await alarm();
    const link = `${PUBLIC_URL}/app/incidents/${incident.id}`;
    expect(twilio.sent).toEqual([
      { To: number, From: "+15005550006", Body: `Alert: Checkout fails\nReply ACK to acknowledge.\n${link}` },
    ]);
    const reply = await write({ Body: " ack " });
    expect(reply).toMatchObject({ status: 200, text: expect.stringContaining("<Message>Acknowledged 1 alert.") });
    expect(reply.headers.get("content-type")).toContain("text/xml");
    expect(await incident.read()).toMatchObject({ acknowledged_by: member.user_id });
    expect((await write({ Body: "ACK" })).text).toContain("Nothing waits for an answer.");
  });

  it("is answered once, however often Twilio sends the reply", async () => {
    const { incident, write } = await alarm();
    await write({ Body: "ACK", MessageSid: `SM-of-${incident.id}` });
    expect((await write({ Body: "ACK", MessageSid: `SM-of-${incident.id}` })).text).toBe("<Response/>");
  });

  it("is not acknowledged by what Twilio did not sign for this channel", async () => {
    const { incident, twilio, write, number } = await alarm();
    const other = await setUpTwilio(sink, await createAccount());
    const path = `/integrations/twilio/${twilio.channel.id}/messages`;
    const fields = { From: number, MessageSid: "SM1", Body: "ACK" };
    const refused = [
      await write({ Body: "ACK" }, { token: "another" }),
      await write({ Body: "ACK" }, { url: `${PUBLIC_URL}/elsewhere` }),
      await other.callBack(path, fields),
      await twilio.callBack(path.replace(twilio.channel.id, incident.id), fields),
    ];
    expect(refused.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    expect(await incident.read()).toMatchObject({ acknowledged_at: null });
  });

  it("is not acknowledged through the channel of another account, or from another number", async () => {
    const { incident, number, write } = await alarm();
    const other = await setUpTwilio(sink, await createAccount());
    const elsewhere = await other.callBack(`/integrations/twilio/${other.channel.id}/messages`, {
      From: number,
      MessageSid: `SM${++numbers}`,
      Body: "ACK",
    });
    // As to a number that nobody verified.
    expect(elsewhere.text).toBe("<Response/>");
    expect((await write({ From: freshNumber(), Body: "ACK" })).text).toBe("<Response/>");
    expect(await incident.read()).toMatchObject({ acknowledged_at: null });
  });

  it("explains itself to other replies, a few times a day", async () => {
    const { incident, write } = await alarm();
    const texts: string[] = [];
    for (let n = 0; n < 4; n++) texts.push((await write({ Body: "who is this?" }, { limits: "" })).text);
    expect(texts[0]).toContain("<Message>Reply ACK to acknowledge");
    expect(texts.at(-1)).toBe("<Response/>");
    expect(await incident.read()).toMatchObject({ acknowledged_at: null });
  });

  it.each<[string, (stage: Awaited<ReturnType<typeof alarm>>) => Promise<unknown>, string]>([
    [
      "may no longer acknowledge",
      ({ member }) => db.update(pageMembers).set({ role: "viewer" }).where(eq(pageMembers.user_id, member.user_id)),
      "You may not acknowledge",
    ],
    [
      "left the team",
      ({ member }) => db.delete(pageMembers).where(eq(pageMembers.user_id, member.user_id)),
      "<Response/>",
    ],
    [
      "removed the number",
      ({ member }) => db.delete(notifyContacts).where(eq(notifyContacts.user_id, member.user_id)),
      "<Response/>",
    ],
  ])("is not acknowledged by a person who %s", async (_name, change, answer) => {
    const stage = await alarm();
    await change(stage);
    expect((await stage.write({ Body: "ACK" })).text).toContain(answer);
    expect(await stage.incident.read()).toMatchObject({ acknowledged_at: null });
  });

  it("that Twilio refuses, or the month no longer allows, makes the escalation go on at once", async () => {
    const team = await createTeam();
    const twilio = await setUpTwilio(sink, team.account);
    await addNumber(team.member, twilio);
    await setPolicy(team, [
      { level: 1, contacts: [{ type: "sms", value: team.member.user_id }] },
      { level: 2, wait_minutes: 30, contacts: [{ type: "user", value: team.account.user_id }] },
    ]);
    twilio.refuse(Response.json({ code: 21610 }, { status: 400 }));
    const first = await openIncident(team);
    expect((await first.escalation()).notifications).toMatchObject([
      { type: "sms", error: "HTTP 400, Twilio's error 21610" },
      { type: "user", status: "sent" },
    ]);
    await db.update(phoneBudgets).set({ taken: 50 }).where(eq(phoneBudgets.webhook_id, twilio.channel.id));
    const second = await openIncident(team, "Search fails");
    expect((await second.escalation()).notifications).toMatchObject([
      { type: "sms", error: "the monthly limit of the Twilio channel is reached" },
      { type: "user", status: "sent" },
    ]);
  });

  it("reaches a person beside their mail where a step names the person", async () => {
    const team = await createTeam();
    const twilio = await setUpTwilio(sink, team.account);
    await addNumber(team.member, twilio);
    await setPolicy(team, [{ level: 1, contacts: [{ type: "user", value: team.member.user_id }] }]);
    const incident = await openIncident(team);
    expect(twilio.sent).toHaveLength(1);
    const { notifications } = await incident.escalation();
    expect(notifications.map(({ type }: { type: string }) => type).sort()).toEqual(["sms", "user"]);
  });
});

describe("a call of an escalation", () => {
  const step = (level: number, contacts: unknown[]) => ({ level, wait_minutes: 30, contacts });
  const callTo = ({ user_id }: Account) => ({ type: "phone", value: user_id });

  async function ring(
    stepsOf: (team: Team) => unknown[],
    people: (team: Team) => Account[] = ({ member }) => [member],
  ) {
    const team = await createTeam();
    const twilio = await setUpTwilio(sink, team.account, { kind: "voice" });
    for (const person of people(team)) await addNumber(person, twilio, "phone");
    await setPolicy(team, stepsOf(team));
    const incident = await openIncident(team);
    /** What Twilio says about one of the calls. */
    const tell = (fields: Record<string, string>, n = 0) =>
      twilio.callBack((twilio.sent[n]?.StatusCallback ?? "").replace(PUBLIC_URL, ""), { CallSid: "CA1", ...fields });
    return { ...team, twilio, incident, tell };
  }

  it("says what is down, and key 1 acknowledges in the name of the person", async () => {
    const { member, twilio, incident, tell } = await ring((team) => [step(1, [callTo(team.member)])]);
    const [call] = twilio.sent;
    expect(call?.Twiml).toContain("Checkout fails");
    expect(call?.Twiml).toContain(`action="${call?.StatusCallback}"`);
    const said = await tell({ CallStatus: "in-progress", Digits: "1" });
    expect(said).toMatchObject({ status: 200, text: "<Response><Say>Acknowledged. Goodbye.</Say></Response>" });
    expect(await incident.read()).toMatchObject({ acknowledged_by: member.user_id });
    expect((await tell({ CallStatus: "in-progress", Digits: "1" })).text).toContain("acknowledged before");
  });

  it("notifies the next step at once by key 2, and once", async () => {
    const { incident, tell } = await ring((team) => [
      step(1, [callTo(team.member)]),
      step(2, [{ type: "user", value: team.account.user_id }]),
      step(3, [{ type: "user", value: team.account.user_id }]),
    ]);
    await tell({ CallStatus: "in-progress", Digits: "2" });
    await tell({ CallStatus: "in-progress", Digits: "2" });
    await settle();
    expect(await incident.escalation()).toMatchObject({ status: "active", level: 2 });
    await tell({ CallStatus: "in-progress", Digits: "2" });
    await settle();
    expect(await incident.escalation()).toMatchObject({ status: "active", level: 2 });
  });

  it.each([
    ["busy", "the line was busy"],
    ["no-answer", "nobody answered the call"],
    ["failed", "the call could not be made"],
  ])("that ends as %s lets the escalation go on at once", async (CallStatus, error) => {
    const { incident, tell } = await ring((team) => [
      step(1, [callTo(team.member)]),
      step(2, [{ type: "user", value: team.account.user_id }]),
    ]);
    expect((await tell({ CallStatus })).status).toBe(200);
    await settle();
    const { level, notifications } = await incident.escalation();
    expect(level).toBe(2);
    expect(notifications).toMatchObject([
      { type: "phone", status: "failed", error },
      { type: "user", level: 2 },
    ]);
  });

  it("goes on at once also where the person was mailed besides", async () => {
    const { incident, tell } = await ring((team) => [
      step(1, [{ type: "user", value: team.member.user_id }]),
      step(2, [{ type: "user", value: team.account.user_id }]),
    ]);
    await tell({ CallStatus: "no-answer" });
    await settle();
    expect(await incident.escalation()).toMatchObject({ level: 2 });
  });

  it("that was answered leaves the time of its step, and so does one of two that rings", async () => {
    const answered = await ring((team) => [step(1, [callTo(team.member)]), step(2, [callTo(team.member)])]);
    await answered.tell({ CallStatus: "completed" });
    await settle();
    expect(await answered.incident.escalation()).toMatchObject({ level: 1 });

    const two = await ring(
      (team) => [
        step(1, [callTo(team.member), callTo(team.account)]),
        step(2, [{ type: "user", value: team.account.user_id }]),
      ],
      ({ member, account }) => [member, account],
    );
    expect(two.twilio.sent).toHaveLength(2);
    await two.tell({ CallStatus: "busy" }, 0);
    await settle();
    expect(await two.incident.escalation()).toMatchObject({ level: 1 });
    await two.tell({ CallStatus: "no-answer" }, 1);
    await settle();
    expect(await two.incident.escalation()).toMatchObject({ level: 2 });
  });

  it("is not answered by what Twilio did not sign, or through the channel of another account", async () => {
    const { incident, twilio } = await ring((team) => [step(1, [callTo(team.member)])]);
    const path = (twilio.sent[0]?.StatusCallback ?? "").replace(PUBLIC_URL, "");
    const fields = { CallSid: "CA1", CallStatus: "in-progress", Digits: "1" };
    expect((await twilio.callBack(path, fields, { token: "another" })).status).toBe(401);
    const other = await setUpTwilio(sink, await createAccount(), { kind: "voice" });
    expect((await other.callBack(path.replace(twilio.channel.id, other.channel.id), fields)).status).toBe(404);
    expect(await incident.read()).toMatchObject({ acknowledged_at: null });
  });
});
