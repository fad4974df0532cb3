import { describe, expect, it } from "vitest";
import { transitionOf } from "../support/alerts.ts";
import { V1 } from "../support/client.ts";
import { mailsTo } from "../support/mail.ts";
import { setPolicy, toUser } from "../support/on-call.ts";
import { createVisitor } from "../support/pages.ts";
import { gatherReceivers, PUBLIC_URL } from "../support/receivers.ts";
import { useSink } from "../support/sink.ts";

const sink = useSink();
/** 4 o'clock in the morning in Berlin. */
const T0 = Date.parse("2026-11-23T03:00:00Z");
const MINUTE = 60_000;
const namesOf = (count: number) => Array.from({ length: count }, (_, n) => `Shop ${n + 1}`);
const NAMES = namesOf(40);
/** Enough where the number does not matter. */
const FEW = namesOf(12);

type Receivers = Awaited<ReturnType<typeof gatherReceivers>>;

/** Services behind one host, which do not fail in the order of their names. */
async function addServices({ addMonitor }: Receivers, names = FEW) {
  const ids = new Map<string, string>();
  for (const name of names.toReversed()) ids.set(name, await addMonitor(name));
  return ids;
}

async function fail({ report, drain }: Receivers, ids: Iterable<string>, at = T0) {
  for (const [n, id] of [...ids].entries()) await report(id, transitionOf(1, at + 10 * n, "connection refused"));
  await drain(at + 1_000, at + 2 * MINUTE);
}

async function recover(
  { report, drain }: Receivers,
  ids: Iterable<string>,
  { at, step }: { at: number; step: number },
) {
  let now = at;
  for (const id of ids) {
    await report(id, { ...transitionOf(2, now, "HTTP 200"), outage: { seq: 1, started_at: T0 } });
    await drain(now, now + step - 1);
    now += step;
  }
  await drain(now, now + 5 * MINUTE);
}

const incidentsOf = async ({ account, page }: Receivers) =>
  (await account.client.get(`${V1}/incidents?status_page_id=${page}`)).body;
const listed = (text: string) => text.split("\n").filter((line) => /^(?:- )?Shop \d/.test(line));

describe("forty services behind one host that fail", () => {
  it("are one incident that lists them, which each leaves as it recovers and the last one ends", async () => {
    const receivers = await gatherReceivers(sink);
    const ids = await addServices(receivers, NAMES);
    await fail(receivers, ids.values());
    const [incident, ...others] = await incidentsOf(receivers);
    expect(others).toEqual([]);
    expect(incident).toMatchObject({
      title: "40 services are down",
      status: "investigating",
      is_public: true,
      created_automatically: true,
      started_at: new Date(T0).toISOString(),
    });
    expect(incident.monitor_ids.toSorted()).toEqual([...ids.values()].toSorted());
    expect(incident.updates.map(({ message }: { message: string }) => message)).toEqual([
      "40 services are failing their checks.",
    ]);

    const back = NAMES.slice(0, 39).map((name) => ids.get(name) ?? "");
    await recover(receivers, back, { at: T0 + 10 * MINUTE, step: 10 });
    const [smaller] = await incidentsOf(receivers);
    expect(smaller).toMatchObject({
      title: "1 service is down",
      status: "investigating",
      monitor_ids: [ids.get("Shop 40")],
    });

    await recover(receivers, [ids.get("Shop 40") ?? ""], { at: T0 + 20 * MINUTE, step: 10 });
    const [ended, ...more] = await incidentsOf(receivers);
    expect(more).toEqual([]);
    expect(ended).toMatchObject({
      title: "40 services were down",
      status: "resolved",
      resolved_at: new Date(T0 + 20 * MINUTE).toISOString(),
    });
    expect(ended.monitor_ids).toHaveLength(NAMES.length);
    expect(ended.updates[0]).toMatchObject({ status: "resolved", message: "All services are up again." });
    expect((await receivers.account.client.get(`${V1}/monitors/${ids.get("Shop 7")}/outages`)).body).toMatchObject([
      { incident_id: incident.id, duration_seconds: expect.any(Number) },
    ]);
  });

  it("are one mail to a subscriber when they fail and one when they recover, in the order of names", async () => {
    const receivers = await gatherReceivers(sink);
    const ids = await addServices(receivers, NAMES);
    await fail(receivers, ids.values());
    const [incident] = await incidentsOf(receivers);
    const mails = await mailsTo(receivers.subscriber);
    expect(mails.map(({ subject }) => subject)).toEqual(["40 services are down: Northwind"]);
    const [down] = mails;
    expect(listed(down?.text ?? "")).toEqual(NAMES.map((name) => `- ${name}`));
    expect(down?.text).toMatch(
      /^40 services are down\n\nSeverity: Major\nPosted: 23 Nov 2026, 04:00 CET\n\n- Shop 1\n/,
    );
    expect(down?.text).toContain(`See the incident: ${PUBLIC_URL}/status/`);
    expect(down?.text).toContain(`/incidents/${incident.id}\n`);
    expect(down?.html).toContain("<li><p");

    await recover(receivers, ids.values(), { at: T0 + 10 * MINUTE, step: 500 });
    const [, up, ...others] = await mailsTo(receivers.subscriber);
    expect(others).toEqual([]);
    expect(up?.subject).toBe("40 services are up again: Northwind");
    expect(listed(up?.text ?? "")).toEqual(NAMES.map((name) => `- ${name}`));
  });

  it("are few mails to a subscriber when they recover one by one, and say what is still down", async () => {
    const receivers = await gatherReceivers(sink);
    const ids = await addServices(receivers);
    await fail(receivers, ids.values());
    // Three minutes for all of them.
    await recover(receivers, ids.values(), { at: T0 + 10 * MINUTE, step: 15_000 });
    const [, ...ends] = await mailsTo(receivers.subscriber);
    expect(ends.length).toBeLessThanOrEqual(3);
    expect(ends.flatMap(({ text }) => listed(text)).length).toBe(FEW.length);
    expect(ends[0]?.text).toMatch(/\n\d+ services are still down\.\n/);
    expect(ends.at(-1)?.text).not.toContain("still down");
  });

  it("name to a subscriber what they chose alone", async () => {
    const receivers = await gatherReceivers(sink);
    const ids = await addServices(receivers);
    const chosen = (...names: string[]) => ({ monitor_ids: names.map((name) => ids.get(name) ?? "") });
    const of = {
      two: await receivers.addSubscriber(chosen("Shop 12", "Shop 3")),
      one: await receivers.addSubscriber(chosen("Shop 5")),
      none: await receivers.addSubscriber({ monitor_ids: [await receivers.addMonitor("Other")] }),
    };
    await fail(receivers, ids.values());
    await recover(receivers, ids.values(), { at: T0 + 10 * MINUTE, step: 10 });
    expect(await receivers.subjectsTo(of.two)).toEqual([
      "2 services are down: Northwind",
      "2 services are up again: Northwind",
    ]);
    expect((await mailsTo(of.two)).map(({ text }) => listed(text))).toEqual([
      ["- Shop 3", "- Shop 12"],
      ["- Shop 3", "- Shop 12"],
    ]);
    const [down, up] = await mailsTo(of.one);
    expect([down?.subject, up?.subject]).toEqual(["A service is down: Northwind", "A service is up again: Northwind"]);
    expect(down?.text).toMatch(/^Shop 5 is down\n/);
    expect(await receivers.subjectsTo(of.none)).toEqual([]);
  });

  it("are one message to the chat, one to each of the team, one to the person on call, and all to machines", async () => {
    const receivers = await gatherReceivers(sink);
    const { webhooks, textsOf, bodiesTo, eventsOf, member, owner, colleague, subjectsTo } = receivers;
    await setPolicy(receivers, [{ level: 1, wait_minutes: 60, contacts: toUser(member.user_id) }]);
    const ids = await addServices(receivers);
    await fail(receivers, ids.values());
    const [incident] = await incidentsOf(receivers);
    const [text = "", ...others] = textsOf(webhooks.slack);
    expect(others).toEqual([]);
    expect(text).toMatch(/^🔴 12 monitors are down\n/);
    expect(listed(text)).toEqual(FEW.map((name) => `${name}: connection refused`));
    expect(text).toContain("Since: 23 Nov 2026, 04:00 CET");
    expect(text).toContain(`<${PUBLIC_URL}/app/incidents/${incident.id}|Acknowledge>`);
    expect(bodiesTo(webhooks.slack)[0].blocks[0].text.text).toBe("🔴 12 monitors are down");
    expect(await subjectsTo(owner)).toEqual(["Alert: 12 monitors are down"]);
    const [paged, ...more] = await mailsTo(colleague);
    expect(more).toEqual([]);
    expect(paged?.subject).toMatch(/^Alert: 12 alerts at once: /);
    expect(paged?.text).toContain(`Open incident: ${PUBLIC_URL}/app/incidents/${incident.id}\n`);
    const created = eventsOf(webhooks.machine).filter((name) => name === "incident.created");
    expect(created).toHaveLength(FEW.length + 1);

    await recover(receivers, ids.values(), { at: T0 + 10 * MINUTE, step: 10 });
    expect(
      textsOf(webhooks.slack)
        .slice(1)
        .map((each) => each.split("\n")[0]),
    ).toEqual(["🟢 12 monitors are up again"]);
    expect((await subjectsTo(colleague)).slice(1)).toEqual(["Resolved: 12 monitors are up again"]);
    const ended = eventsOf(webhooks.machine).filter((name) => name === "incident.resolved");
    expect(ended).toHaveLength(FEW.length + 1);
  });

  it("are one card on the page, and its address serves people who have that of one of them", async () => {
    const receivers = await gatherReceivers(sink);
    const ids = await addServices(receivers);
    await fail(receivers, ids.values());
    const [incident] = await incidentsOf(receivers);
    const { body: page } = await receivers.account.client.get(`${V1}/status-pages/${receivers.page}`);
    const visit = createVisitor();
    const { text } = await visit(`/status/${page.slug}`);
    expect(text.match(/12 services are down/g)?.length).toBeGreaterThan(0);
    expect(text).not.toContain("Shop 7 is down");
    const [first] = receivers.bodiesTo(receivers.webhooks.machine).filter(({ event }) => event === "incident.created");
    const one = await visit(new URL(first.data.url).pathname);
    expect(one.text).toContain("12 services are down");
    expect((await visit(`/status/${page.slug}/incidents/${incident.id}`)).text).toContain("Shop 7");
  });

  it("are answered together by acknowledging or resolving the incident that lists them", async () => {
    const receivers = await gatherReceivers(sink);
    await setPolicy(receivers, [
      { level: 1, wait_minutes: 0, contacts: toUser(receivers.member.user_id) },
      { level: 2, wait_minutes: 10, contacts: toUser(receivers.account.user_id) },
    ]);
    const ids = await addServices(receivers);
    await fail(receivers, ids.values());
    const [incident] = await incidentsOf(receivers);
    const { client } = receivers.account;
    expect((await client.get(`${V1}/incidents/${incident.id}/escalation`)).body).toMatchObject({ status: "active" });
    expect((await client.post(`${V1}/incidents/${incident.id}/acknowledge`)).status).toBe(200);
    await receivers.drain(T0 + 3 * MINUTE, T0 + 60 * MINUTE);
    expect(
      (await receivers.subjectsTo(receivers.owner)).filter((subject) => subject.includes("alerts at once")),
    ).toEqual([]);
    await client.put(`${V1}/incidents/${incident.id}`, { status: "resolved", message: "The host is back." });
    await recover(receivers, ids.values(), { at: T0 + 70 * MINUTE, step: 10 });
    const [ended, ...others] = await incidentsOf(receivers);
    expect(others).toEqual([]);
    expect(ended).toMatchObject({ status: "resolved", title: "12 services are down" });
    expect(ended.updates[0].message).toBe("The host is back.");
  });
});

describe("incidents that people make", () => {
  it("are never part of a bundle", async () => {
    const receivers = await gatherReceivers(sink);
    const { client } = receivers.account;
    const ids = await addServices(receivers);
    const fields = {
      status_page_id: receivers.page,
      title: "Host is gone",
      monitor_ids: [...ids.values()],
      is_public: true,
    };
    const { body: made } = await client.post(`${V1}/incidents`, fields);
    await fail(receivers, ids.values());
    const titles = (await incidentsOf(receivers)).map(({ title }: { title: string }) => title);
    expect(titles.toSorted()).toEqual(["12 services are down", "Host is gone"]);
    expect((await client.get(`${V1}/incidents/${made.id}`)).body.title).toBe("Host is gone");
  });
});
