import { describe, expect, it } from "vitest";
import { CAPABILITIES } from "../../src/contract/member.ts";
import { newId } from "../../src/platform/ids.ts";
import { V1 } from "../support/client.ts";
import { createAccount, createPage } from "../support/factories.ts";
import { createMember } from "../support/members.ts";
import { useSink } from "../support/sink.ts";
import { createWebhook, sinkUrl } from "../support/webhooks.ts";

const sink = useSink();
const SECRET = "SUPERSECRETsigningKEY123";
/** Another origin that tests may reach. */
const THIEF = "https://sink.test:8443/steal";
const OTHERS = CAPABILITIES.filter((capability) => capability !== "secrets.read");

/** A webhook with a secret on a page, and a member who may change it without reading secrets. */
async function createCase() {
  const owner = await createAccount();
  const page = await createPage(owner);
  const external_key = `key-${newId()}`;
  const webhook = await createWebhook(owner, { status_page_id: page, secret: SECRET, external_key });
  const { member } = await createMember(owner, { role: "custom", capabilities: OTHERS }, page);
  const path = `${V1}/webhooks/${webhook.id}`;
  return {
    owner,
    page,
    member,
    webhook,
    path,
    external_key,
    setup: `${V1}/status-pages/${page}/alert-setup/${webhook.id}`,
  };
}

const everythingSent = () =>
  JSON.stringify(sink.received.map(({ headers, body }) => [Object.fromEntries(headers), body]));

describe("the secret of a webhook", () => {
  it.each<[string, (created: Awaited<ReturnType<typeof createCase>>) => string]>([
    ["its own address", ({ path }) => path],
    ["the alert setup of its page", ({ setup }) => setup],
    ["its external key", ({ external_key }) => `${V1}/webhooks/by-key/${external_key}`],
  ])("is not sent to a receiver whom somebody without secrets.read chose, by %s", async (_name, addressOf) => {
    const created = await createCase();
    sink.answer(THIEF, 200);
    const theft = { name: "Ops", url: THIEF, provider: "ntfy", status_page_id: created.page };
    const answer = await created.member.client.put(addressOf(created), theft);
    expect(answer).toMatchObject({
      status: 200,
      body: { has_secret: false, notices: [{ path: "secret", message: expect.stringContaining("was removed") }] },
    });
    await created.member.client.post(`${created.path}/test`);
    const stolen = sink.received.filter(({ url }) => url === THIEF);
    expect(stolen).toHaveLength(1);
    expect(everythingSent()).not.toContain(SECRET);
    expect(stolen[0]?.headers.get("authorization")).toBeNull();
  });

  it.each([
    ["another provider at the same address", { provider: "ntfy" }],
    ["another origin", { url: "https://thief.test/steal", secret: "***" }],
  ])("does not go along to %s", async (_name, change) => {
    const { member, path } = await createCase();
    expect((await member.client.put(path, change)).body.has_secret).toBe(false);
  });

  it("does not sign beside a new one at another origin", async () => {
    const { member, path } = await createCase();
    sink.answer(THIEF, 200);
    const answer = await member.client.put(path, { url: THIEF, secret: "another" });
    expect([answer.body.has_secret, answer.body.notices]).toEqual([true, undefined]);
    await member.client.post(`${path}/test`);
    const test = sink.received.find(({ url }) => url === THIEF);
    expect(test?.headers.get("webhook-signature")?.split(" ")).toHaveLength(1);
  });

  it("stays where the origin does, and with people who may read secrets", async () => {
    const { owner, member, webhook, path } = await createCase();
    const moved = { name: "Moved", url: `${new URL(webhook.url).origin}/${newId()}` };
    expect((await member.client.put(path, moved)).body).toMatchObject({ name: "Moved", has_secret: true });
    expect((await owner.client.put(path, { url: "https://new.test/hook" })).body.has_secret).toBe(true);
  });

  it("is asked for where the provider needs one", async () => {
    const { owner, member } = await createCase();
    const page = await createPage(owner);
    const { id } = await createWebhook(owner, { status_page_id: page, provider: "pagerduty", secret: "routing-key" });
    const { member: other } = await createMember(owner, { role: "custom", capabilities: OTHERS }, page);
    const answer = await other.client.put(`${V1}/webhooks/${id}`, { url: THIEF });
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining("secret") } });
    expect((await member.client.put(`${V1}/webhooks/${id}`, { url: sinkUrl() })).status).toBe(404);
  });
});

describe("masked contacts of an escalation policy", () => {
  const slack = (name: string, label = "Ops") => ({
    type: "slack",
    value: `https://hooks.slack.com/services/AAA/1/${name}`,
    label,
  });
  const step = (level: number, ...contacts: unknown[]) => ({ level, wait_minutes: 5, contacts });

  async function createPolicy(...steps: unknown[]) {
    const owner = await createAccount();
    const page = await createPage(owner);
    const path = `${V1}/status-pages/${page}/on-call/policies`;
    const { body } = await owner.client.post(path, { name: "Night", steps });
    const { member } = await createMember(owner, { role: "custom", capabilities: ["oncall.write"] }, page);
    const one = `${path}/${body.id}`;
    const valuesOf = (policy: { steps: { contacts: { value: string }[] }[] }) =>
      policy.steps.map(({ contacts }) => contacts.map(({ value }) => value.replace(/.*\//, "")));
    const stored = async () => valuesOf((await owner.client.get(path)).body[0]);
    const seen = (await member.client.get(path)).body[0].steps;
    return { member, one, stored, seen };
  }

  it("keep each its own address when they come back as they were shown", async () => {
    const { member, one, stored, seen } = await createPolicy(
      step(1, slack("secretone"), slack("secrettwo")),
      step(2, slack("secretthree")),
    );
    expect(JSON.stringify(seen)).not.toContain("secret");
    expect((await member.client.put(one, { steps: seen.toReversed(), name: "Day" })).status).toBe(200);
    expect(await stored()).toEqual([["secretone", "secrettwo"], ["secretthree"]]);
  });

  it.each<[string, (seen: ReturnType<typeof step>[]) => unknown[]]>([
    ["of several with the same mask one was left out", ([first]) => [{ ...first, contacts: first?.contacts.slice(1) }]],
    ["one was replaced by a new address", ([first]) => [{ ...first, contacts: [first?.contacts[1], slack("new")] }]],
    ["they moved to another level", ([first]) => [{ ...first, level: 7 }]],
    ["the mask stands for nothing", () => [step(1, { type: "slack", value: "https://other.test/***" })]],
  ])("are refused where %s", async (_name, change) => {
    const { member, one, stored, seen } = await createPolicy(step(1, slack("secretone"), slack("secrettwo")));
    const answer = await member.client.put(one, { steps: change(seen) });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^steps\[0\].contacts\[0\].value/) },
    });
    expect(await stored()).toEqual([["secretone", "secrettwo"]]);
  });

  it("are distinguished by their labels, and one alone may move", async () => {
    const { member, one, stored, seen } = await createPolicy(step(1, slack("secretone", "A"), slack("secrettwo", "B")));
    const [{ contacts }] = seen;
    expect((await member.client.put(one, { steps: [step(1, contacts[1])] })).status).toBe(200);
    expect(await stored()).toEqual([["secrettwo"]]);
    expect((await member.client.put(one, { steps: [step(9, contacts[1])] })).status).toBe(200);
    expect(await stored()).toEqual([["secrettwo"]]);
  });
});
