import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { openDb, runBatch } from "../../src/data/db.ts";
import { upsertMailConsent } from "../../src/data/mail-consents/write.ts";
import { recipientHash } from "../../src/platform/credentials.ts";
import { newId } from "../../src/platform/ids.ts";
import { CORE, createClientUnder, V1 } from "../support/client.ts";
import { createAccount, createPage } from "../support/factories.ts";
import { mailsTo } from "../support/mail.ts";
import { joinPage } from "../support/members.ts";
import { freshSlug } from "../support/pages.ts";
import { useSubscriberQueue } from "../support/subscribers.ts";

const LIMITS = { RATE_LIMITS: "all=off,recipient_mail=5,password_reset_mail=5" };
const queue = useSubscriberQueue();
const freshMail = () => `victim-${newId()}@example.com`;

/** An account with a page, and the three ways in which it can have mail sent to a stranger. */
async function anAttacker(limits = LIMITS) {
  const account = await createAccount({ plan: "business" });
  const client = createClientUnder(limits, account.token);
  const slug = freshSlug();
  const page = await createPage(account, { slug });
  return {
    account,
    user_id: account.user_id,
    client,
    page,
    invite: (email: string) => client.post(`${V1}/status-pages/${page}/members`, { email, role: "viewer" }),
    subscribe: (endpoint: string) =>
      createClientUnder(limits).post(`/status/${slug}/subscribers`, { channel: "email", endpoint }),
    verify: (value: string) => client.post(`${V1}/notify-contacts`, { type: "email", value }),
  };
}

/** What the reader's answer to the question of an account leaves. */
async function agreeToMail(accountId: string, address: string): Promise<void> {
  const key = { account_id: accountId, address_hash: recipientHash(address) };
  const db = openDb(env.DB);
  await runBatch(db, [upsertMailConsent(db, key, { agreed_at: Date.now(), now: Date.now() })]);
}

async function mailCount(address: string): Promise<number> {
  await queue.drain();
  return (await mailsTo(address)).length;
}

describe("mail to a stranger", () => {
  it("ends after five invitations a day, from however many accounts and pages", async () => {
    const victim = freshMail();
    const attackers = [await anAttacker(), await anAttacker(), await anAttacker(), await anAttacker()];
    const more = [await anAttacker(), await anAttacker(), await anAttacker()];
    const statuses = [];
    for (const { invite } of [...attackers, ...more]) statuses.push((await invite(victim)).status);
    expect(statuses).toEqual([201, 201, 201, 201, 201, 429, 429]);
    expect(await mailCount(victim)).toBe(5);
  });

  it("counts invitations, confirmations and verifications together, however the address is written", async () => {
    const [one, two] = [await anAttacker(), await anAttacker()];
    const victim = freshMail();
    const tagged = victim.replace("@", "+x@");
    expect((await one.invite(victim)).status).toBe(201);
    expect((await one.subscribe(victim.toUpperCase())).status).toBe(202);
    expect((await one.verify(tagged)).status).toBe(201);
    expect((await two.verify(victim)).status).toBe(201);
    expect((await two.invite(tagged)).status).toBe(201);
    expect((await two.invite(victim)).status).toBe(429);
    expect((await two.verify(victim)).status).toBe(429);
    expect((await two.subscribe(victim)).status).toBe(202);
    expect((await mailCount(victim)) + (await mailCount(tagged))).toBe(5);
  });

  it("counts invitations that are sent again", async () => {
    const { client, page, invite } = await anAttacker();
    const victim = freshMail();
    const { id } = (await invite(victim)).body;
    const statuses = [];
    for (let n = 0; n < 6; n++) {
      statuses.push((await client.post(`${V1}/status-pages/${page}/members/${id}/resend`)).status === 429);
    }
    expect(statuses).toEqual([false, false, false, false, true, true]);
  });

  it("writes nothing when it is refused, and says when it may be sent", async () => {
    const victim = freshMail();
    const { invite, verify, client } = await anAttacker();
    for (let n = 0; n < 5; n++) await verify(victim);
    const refused = await invite(victim);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(80_000);
    expect((await client.get(`${V1}/notify-contacts`)).body).toHaveLength(5);
  });

  it("does not keep an account holder from a new password or from security mail", async () => {
    const { verify } = await anAttacker();
    const { user_id, token } = await createAccount();
    const victim = `${user_id}@example.com`;
    for (let n = 0; n < 7; n++) await verify(victim);
    const visitor = createClientUnder(LIMITS);
    for (let n = 0; n < 7; n++) {
      expect((await visitor.post(`${CORE}/auth/password/forgotten`, { email: victim })).status).toBe(202);
    }
    const owner = createClientUnder(LIMITS, token);
    for (let n = 0; n < 7; n++) await owner.post(`${CORE}/user/api-tokens`, { name: `t${n}` });
    const subjects = (await mailsTo(victim)).map(({ subject }) => subject);
    const countOf = (text: string) => subjects.filter((subject) => subject.includes(text)).length;
    expect([countOf("Confirm this contact"), countOf("Reset your password"), countOf("New API token")]).toEqual([
      5, 5, 7,
    ]);
  });

  it("is not used up by one sender, who has a smaller share of it", async () => {
    const limits = { RATE_LIMITS: "all=off,sender_mail=3,recipient_mail=5" };
    const [stranger, friend] = [await anAttacker(limits), await anAttacker(limits)];
    const victim = freshMail();
    const statuses = [await stranger.verify(victim), await stranger.invite(victim), await stranger.verify(victim)];
    statuses.push(await stranger.verify(victim), await stranger.invite(victim));
    expect(statuses.map(({ status }) => status)).toEqual([201, 201, 201, 429, 429]);
    expect((await friend.invite(victim)).status).toBe(201);
    expect(await mailCount(victim)).toBe(4);
  });

  it("counts the members of a team as one sender, who share the smaller part", async () => {
    const limits = { RATE_LIMITS: "all=off,sender_mail=3,recipient_mail=5" };
    const [owner, friend] = [await anAttacker(limits), await anAttacker(limits)];
    const victim = freshMail();
    const statuses = [];
    for (let n = 0; n < 5; n++) {
      const admin = await createAccount();
      await joinPage(admin, owner.page, { role: "admin" });
      const client = createClientUnder(limits, admin.token);
      const invitation = { channel: "email", endpoints: [victim], status_page_id: owner.page };
      statuses.push((await client.post(`${V1}/subscribers`, invitation)).body.invited);
    }
    expect(statuses).toEqual([1, 1, 1, 0, 0]);
    expect((await friend.invite(victim)).status).toBe(201);
    expect(await mailCount(victim)).toBe(4);
  });

  it("of accounts that they agreed to, or are on the team of, is out of the reach of any number of strangers", async () => {
    const limits = { RATE_LIMITS: "all=off,sender_mail=3,recipient_mail=5" };
    const [team, friend] = [await anAttacker(limits), await anAttacker(limits)];
    const member = await createAccount();
    const victim = `${member.user_id}@example.com`;
    await joinPage(member, team.page, { role: "viewer" });
    await agreeToMail(friend.user_id, victim);
    for (let n = 0; n < 6; n++) await (await anAttacker(limits)).verify(victim);
    expect(await mailCount(victim)).toBe(5);

    const own = createClientUnder(limits, member.token);
    expect((await own.post(`${V1}/notify-contacts`, { type: "email", value: victim })).status).toBe(201);
    const second = await createPage(team.account);
    const invitation = { email: victim, role: "viewer" };
    expect((await team.client.post(`${V1}/status-pages/${second}/members`, invitation)).status).toBe(201);
    const statuses = [];
    for (let n = 0; n < 4; n++) statuses.push((await friend.verify(victim)).status);
    expect(statuses).toEqual([201, 201, 201, 429]);
    expect(await mailCount(victim)).toBe(10);
  });

  it("is not used up by two senders: the last is for one who has not written yet", async () => {
    const limits = { RATE_LIMITS: "all=off,sender_mail=3,recipient_mail=5" };
    const [one, two, friend] = [await anAttacker(limits), await anAttacker(limits), await anAttacker(limits)];
    const victim = freshMail();
    const statuses = [];
    for (const sender of [one, one, one, two, two, two, one]) statuses.push((await sender.verify(victim)).status);
    expect(statuses).toEqual([201, 201, 201, 201, 429, 429, 429]);
    expect((await friend.invite(victim)).status).toBe(201);
    expect(await mailCount(victim)).toBe(5);
  });
});
