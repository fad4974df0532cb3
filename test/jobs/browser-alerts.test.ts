import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { openDb } from "../../src/data/db.ts";
import { contactMessages } from "../../src/data/notify-contacts/table.ts";
import { sweepContactMessages } from "../../src/delivery/contact-messages.ts";
import type { BrowserAlert } from "../../src/lib/browser-message.ts";
import { playQueues, transitionOf } from "../support/alerts.ts";
import { CORE, V1 } from "../support/client.ts";
import { type Account, createAccount, createPage } from "../support/factories.ts";
import { createMember } from "../support/members.ts";
import { insertMonitor } from "../support/monitors.ts";
import { setPolicy, toUser } from "../support/on-call.ts";
import { createVisitor } from "../support/pages.ts";
import { type Arrived, addBrowser, decrypt, fromBase64Url } from "../support/push-service.ts";
import { recordingEnv } from "../support/queues.ts";
import { useSink } from "../support/sink.ts";

const db = openDb(env.DB);
const sink = useSink();
const MINUTE = 60_000;
const T0 = Date.now();
const settings = { PUBLIC_URL: "https://vigil.test" };

interface Stage {
  owner: Account;
  page: string;
  monitor: string;
}
let stage: Stage;
beforeEach(async () => {
  const owner = await createAccount();
  const page = await createPage(owner, { timezone: "Europe/Berlin", auto_create_incident: true });
  const monitor = await insertMonitor(owner.user_id, { status_page_id: page, created_at: T0 - MINUTE, name: "Shop" });
  stage = { owner, page, monitor: monitor.id };
});

async function breakDown({ monitor }: Stage, at = T0) {
  const queues = playQueues(recordingEnv(settings));
  await queues.report(monitor, transitionOf(1, at));
  await queues.drain(at);
  return queues;
}

const alertsIn = (arrived: readonly Arrived[]) => arrived.map(({ message }) => message as BrowserAlert);
const contactsOf = async ({ client }: Account) => (await client.get(`${V1}/notify-contacts`)).body as unknown[];
const messagesTo = (contactId: string) =>
  db.select().from(contactMessages).where(eq(contactMessages.contact_id, contactId));

describe("the push service of these tests", () => {
  // https://www.rfc-editor.org/rfc/rfc8291#appendix-A
  it("reads the example of RFC 8291", async () => {
    const point = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
    const jwk = {
      kty: "EC",
      crv: "P-256",
      x: point.slice(1, 44),
      d: "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94",
    };
    const bytes = fromBase64Url(point);
    const encode = (part: Uint8Array) => Buffer.from(part).toString("base64url");
    const private_key = await crypto.subtle.importKey(
      "jwk",
      { ...jwk, x: encode(bytes.slice(1, 33)), y: encode(bytes.slice(33)) },
      { name: "ECDH", namedCurve: "P-256" },
      false,
      ["deriveBits"],
    );
    const message = fromBase64Url(
      "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
    );
    const keys = { point: bytes, private_key, auth: fromBase64Url("BTBZMqHH6r4Tts7J_aSIgg") };
    expect(new TextDecoder().decode(await decrypt(message, keys))).toBe("When I grow up, I want to be a watermelon");
  });
});

describe("an outage", () => {
  it("is shown by every browser of a person: what is down, since when and why, and is acknowledged from there", async () => {
    const { owner, monitor } = stage;
    const [phone, desk] = [await addBrowser(sink, owner), await addBrowser(sink, owner, "Firefox on Linux")];
    await breakDown(stage);
    expect([phone.arrived.length, desk.arrived.length]).toEqual([1, 1]);
    const [{ message, ttl, urgency } = { message: undefined, ttl: 0, urgency: "" }] = phone.arrived;
    expect([ttl, urgency]).toEqual([43_200, "high"]);
    expect(message).toMatchObject({ kind: "alert", title: "Shop is down", is_urgent: true });
    expect(message?.body).toMatch(/^HTTP 500\nSince: .+/);
    const alert = message as BrowserAlert;
    expect(alert.open).toMatch(/^\/app\/incidents\//);
    expect(alert.evidence).toMatch(new RegExp(`^/app/monitors/${monitor}/evidence\\?since=\\d+$`));
    expect(JSON.stringify(alert)).not.toMatch(/https?:/);

    const answer = await createVisitor()(String(alert.acknowledge), {}, { method: "POST" });
    expect([answer.status, answer.text.includes("cknowledged")]).toEqual([200, true]);
    const { body: incident } = await owner.client.get(`${V1}/incidents/${alert.open.split("/").at(-1)}`);
    expect(incident).toMatchObject({ acknowledged_by: owner.user_id, monitor_ids: [monitor] });
  });

  it("and its end are one topic and one notification", async () => {
    const phone = await addBrowser(sink, stage.owner);
    const queues = await breakDown(stage);
    await queues.report(stage.monitor, transitionOf(2, T0 + 5 * MINUTE, "HTTP 200"));
    await queues.drain(T0 + 5 * MINUTE);
    const [down, up] = phone.arrived;
    expect(alertsIn(phone.arrived).map(({ title }) => title)).toEqual(["Shop is down", "Shop is up again"]);
    expect([up?.topic, up?.urgency]).toEqual([down?.topic, "normal"]);
    const [first, last] = alertsIn(phone.arrived);
    expect([last?.tag, last?.acknowledge]).toEqual([first?.tag, undefined]);
  });

  it.each([
    ["is muted", () => stage.owner.client.put(`${V1}/monitors/${stage.monitor}`, { muted_until: later() })],
    ["is in maintenance", planMaintenance],
    ["is none of what the person wants", () => prefer({ notify_team: { down: false, incident: false } })],
    ["is not wanted in browsers", () => prefer({ push: false })],
  ])("reaches no browser where it %s", async (_name, prepare) => {
    const phone = await addBrowser(sink, stage.owner);
    expect((await prepare()).status).toBeLessThan(300);
    await breakDown(stage);
    expect(phone.arrived).toEqual([]);
  });

  it("reaches the person on call once, who acknowledges it from there", async () => {
    const { owner, page } = stage;
    const { member } = await createMember(owner, { role: "editor" }, page);
    const phone = await addBrowser(sink, member);
    await setPolicy({ account: owner, page }, [{ level: 1, wait_minutes: 0, contacts: toUser(member.user_id) }]);
    await breakDown(stage);
    expect(alertsIn(phone.arrived)).toMatchObject([
      {
        is_urgent: true,
        title: expect.stringContaining("Shop is down"),
        evidence: expect.stringContaining("/evidence?since="),
      },
    ]);
    const [alert] = alertsIn(phone.arrived);
    expect((await createVisitor()(String(alert?.acknowledge), {}, { method: "POST" })).status).toBe(200);
    const { body: incident } = await owner.client.get(`${V1}/incidents/${alert?.open.split("/").at(-1)}`);
    expect(incident.acknowledged_by).toBe(member.user_id);
  });

  it("cannot be acknowledged from the browser of a member who may not", async () => {
    const { member } = await createMember(stage.owner, { role: "viewer" }, stage.page);
    const phone = await addBrowser(sink, member);
    await breakDown(stage);
    expect(alertsIn(phone.arrived)).toMatchObject([{ title: "Shop is down" }]);
    expect(alertsIn(phone.arrived)[0]?.acknowledge).toBeUndefined();
  });

  it("reaches no browser that was not verified", async () => {
    const phone = await addBrowser(sink, stage.owner);
    await stage.owner.client.delete(`${V1}/notify-contacts/${phone.id}`);
    await breakDown(stage);
    expect(phone.arrived).toEqual([]);
  });

  it("is stored without what its message says, and not at all once it has left", async () => {
    const phone = await addBrowser(sink, stage.owner);
    phone.refuse(new Response(null, { status: 503 }));
    await breakDown(stage);
    const [waiting] = await messagesTo(phone.id);
    expect([waiting?.state, waiting?.sealed.includes("Shop")]).toEqual(["pending", false]);
    await sweepAt(T0 + MINUTE);
    expect(await messagesTo(phone.id)).toMatchObject([{ state: "sent", sealed: "", attempt: 2 }]);
  });
});

describe("a push service", () => {
  it.each([404, 410])("that answers %i ends the contact, and says so in the dashboard", async (status) => {
    const { owner } = stage;
    const [phone, desk] = [await addBrowser(sink, owner), await addBrowser(sink, owner, "Firefox on Linux")];
    phone.refuse(new Response(null, { status }));
    await breakDown(stage);
    expect(await contactsOf(owner)).toMatchObject([{ id: desk.id }]);
    expect((await owner.client.get(`${CORE}/notifications`)).body).toContainEqual(
      expect.objectContaining({ type: "contact.ended", title: "Alerts no longer reach Chrome on Android" }),
    );
    expect((await owner.client.get(`${V1}/audit-logs`)).body).toContainEqual(
      expect.objectContaining({
        event_type: "notify_contact.deleted",
        actor: { id: null, name: "system", type: "system" },
      }),
    );
    expect(desk.arrived).toHaveLength(1);
  });

  it("that asks for patience is asked again after the time that it named", async () => {
    const phone = await addBrowser(sink, stage.owner);
    phone.refuse(new Response(null, { status: 429, headers: { "retry-after": "600" } }));
    await breakDown(stage);
    await sweepAt(T0 + 5 * MINUTE);
    expect(phone.arrived).toEqual([]);
    await sweepAt(T0 + 15 * MINUTE);
    expect(alertsIn(phone.arrived)).toMatchObject([{ title: "Shop is down" }]);
  });

  it("that refuses a message is not asked again", async () => {
    const phone = await addBrowser(sink, stage.owner);
    phone.refuse(new Response(null, { status: 413 }));
    await breakDown(stage);
    await sweepAt(T0 + 60 * MINUTE);
    expect(await messagesTo(phone.id)).toMatchObject([{ state: "failed", attempt: 1 }]);
    expect(phone.arrived).toEqual([]);
  });
});

const later = () => new Date(T0 + 60 * MINUTE).toISOString();
const prefer = (change: object) => stage.owner.client.put(`${CORE}/user/preferences`, change);

function planMaintenance() {
  const window = { start_time: new Date(T0 - MINUTE).toISOString(), end_time: later() };
  const targets = [{ target_type: "monitor", target_id: stage.monitor }];
  const fields = { status_page_id: stage.page, title: "Move", targets, ...window };
  return stage.owner.client.post(`${V1}/maintenance`, fields);
}

async function sweepAt(now: number): Promise<void> {
  const recording = recordingEnv(settings);
  await sweepContactMessages({ ...jobScope(recording.env, "test"), now });
  await playQueues(recording).drain(now);
}
