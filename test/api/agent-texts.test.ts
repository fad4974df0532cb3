import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { newId } from "../../src/platform/ids.ts";
import { AGENTS, type EnrolledAgent, enrollAgent } from "../support/agents.ts";
import { createClientUnder, V1 } from "../support/client.ts";
import { type Account, createAccount, createPage } from "../support/factories.ts";
import { createBrowser } from "../support/forms.ts";
import { mailsTo } from "../support/mail.ts";
import { insertBrowser } from "../support/members.ts";
import { insertMonitor } from "../support/monitors.ts";
import { PATIENCE } from "../support/patience.ts";
import { fakeDiscord, fakeSlack } from "../support/providers.ts";
import { useSink } from "../support/sink.ts";
import { createWebhook } from "../support/webhooks.ts";

/** A title for the terminal, colours, the other direction, a second header line, marks of chats, and elements. */
const HOSTILE =
  "probe\u001b]0;title\u0007\u001b[31m\u202egnp\u2028 <img src=x onerror=alert(1)> <!channel> @everyone " +
  "[x](javascript:alert(1))\r\nBcc: victim@b.example";
const OBEYED = /(?![\n\t])[\p{Cc}\p{Cs}\u2028\u2029\u202A-\u202E\u2066-\u2069]|\\u(?:00[01]|20[23]|206|d8)/u;

const sink = useSink();

/** An agent that says this wherever an agent may say anything, and takes a monitor of a public page down. */
async function infiltrate() {
  const account = await createAccount();
  const slug = `page-${newId()}`;
  const page = await createPage(account, { is_public: true, slug });
  const agent = await enrollAgent(account, {
    name: HOSTILE,
    hostname: HOSTILE,
    os: HOSTILE,
    arch: HOSTILE,
    version: HOSTILE,
    region: HOSTILE,
    capabilities: [HOSTILE],
  });
  const on = { agent_id: agent.id, check_group_id: "", status_page_id: page, failure_threshold: 1 };
  const monitor = await insertMonitor(account.user_id, on);
  const accepted = async (path: string, body: unknown) =>
    expect([path, (await agent.client.post(path, body)).status]).toEqual([path, 200]);
  await accepted(`${AGENTS}/metrics`, { cpu_percent: 1, custom: { [HOSTILE]: [HOSTILE, { [HOSTILE]: HOSTILE }] } });
  const data = { [HOSTILE]: HOSTILE };
  await accepted(`${AGENTS}/events`, { events: [{ level: "warn", type: HOSTILE, message: HOSTILE, data }] });
  const found = { kind: HOSTILE, name: HOSTILE, target: HOSTILE, details: data };
  await accepted(`${AGENTS}/discoveries`, { discoveries: [found] });
  const { body: command } = await account.client.post(`${AGENTS}/${agent.id}/commands`, { type: "discover" });
  await accepted(`${AGENTS}/commands/${command.id}/ack`, { ok: false, result: data, error: HOSTILE });
  const evidence = { status_line: HOSTILE, excerpt: HOSTILE, addresses: [HOSTILE.slice(0, 100)] };
  const result = { status: "down", message: HOSTILE, details: data, evidence };
  await accepted(`${V1}/monitors/${monitor.id}/status`, result);
  return { account, agent, monitor, page, slug };
}

/** Everything that is stored of an account and its agent. */
async function storedTexts({ user_id }: Account, agent: EnrolledAgent): Promise<string[]> {
  const tables = [
    ...["agents WHERE id = ?1", "agent_reports WHERE agent_id = ?1", "agent_commands WHERE agent_id = ?1"],
    ...["agent_latest WHERE agent_id = ?1"],
    ...[
      "audit_log WHERE owner_id = ?2",
      "events WHERE owner_id = ?2",
      "outages WHERE monitor_id IN (SELECT id FROM monitors WHERE owner_id = ?2)",
    ],
  ];
  const read = tables.map((table) =>
    env.DB.prepare(`SELECT * FROM ${table} AND ?1 = ?1 AND ?2 = ?2`).bind(agent.id, user_id).all(),
  );
  const rows = (await Promise.all(read)).flatMap(({ results }) => results);
  return rows.flatMap((row) => Object.values(row).filter((value) => typeof value === "string"));
}

describe("what an agent sends", () => {
  it("is stored, shown and announced as plain text, with any content", async () => {
    const [slack, discord] = [`https://sink.test/${newId()}`, `https://sink.test/${newId()}`];
    sink.serve(slack, fakeSlack);
    sink.serve(discord, fakeDiscord);
    const address = `${newId()}@example.com`;
    const { account, agent, monitor, page, slug } = await infiltrate();
    const of = { status_page_id: page };
    await createWebhook(account, { provider: "slack", url: slack, ...of });
    await createWebhook(account, { provider: "discord", url: discord, ...of });
    await createWebhook(account, { provider: "email", url: `mailto:${address}`, ...of });
    await vi.waitFor(async () => {
      expect((await account.client.get(`${V1}/monitors/${monitor.id}`)).body.status).toBe("down");
    }, PATIENCE);
    const again = [{ status: "up" }, { status: "down", message: HOSTILE }];
    for (const result of again) {
      expect((await agent.client.post(`${V1}/monitors/${monitor.id}/status`, result)).status).toBe(200);
    }
    const sentTo = (url: string) =>
      sink.received.filter((each) => each.url.startsWith(url) && each.body.includes("onerror"));
    await vi.waitFor(async () => {
      expect([sentTo(slack).length > 0, sentTo(discord).length > 0]).toEqual([true, true]);
      expect((await mailsTo(address)).some(({ text }) => text.includes("onerror"))).toBe(true);
    }, PATIENCE);

    const texts = await storedTexts(account, agent);
    expect(texts.filter((text) => text.includes("onerror")).length).toBeGreaterThan(8);
    expect(texts.filter((text) => OBEYED.test(text))).toEqual([]);

    const browser = createBrowser(await insertBrowser(account));
    for (const path of ["/agents", `/agents/${agent.id}`, `/monitors/${monitor.id}`, "/audit", "/incidents", ""]) {
      const { status, text } = await browser.open(`/app${path}`);
      expect([path, status, text.includes("<img src=x")]).toEqual([path, 200, false]);
      expect([path, OBEYED.exec(text)?.[0]]).toEqual([path, undefined]);
    }
    for (const path of [`/status/${slug}`, `/status/${slug}/feed.atom`, `/status/${slug}/summary.json`]) {
      const { status, body } = await createClientUnder({}).get(path);
      expect([path, status, JSON.stringify(body).includes("onerror")]).toEqual([path, 200, false]);
    }

    for (const { body } of [...sentTo(slack), ...sentTo(discord)]) expect(body).not.toMatch(OBEYED);
    for (const { body } of sentTo(slack)) expect(JSON.parse(body).text).not.toContain("<!channel>");
    for (const { body } of sentTo(discord)) expect(JSON.parse(body).allowed_mentions).toEqual({ parse: [] });
    for (const { subject, text, html } of await mailsTo(address)) {
      expect([subject, /^(?:Alert|Resolved): /.test(subject), /[\r\n]/.test(subject)]).toEqual([subject, true, false]);
      expect(`${subject}${text}${html}`).not.toMatch(OBEYED);
      expect(html).not.toContain("<img src=x");
    }
  });

  it("is refused where it is too long, too much or too deep, and nothing of it is stored", async () => {
    const account = await createAccount();
    const agent = await enrollAgent(account, { hostname: "db-1" });
    const text = (length: number) => "x".repeat(length);
    let deep: unknown = 1;
    for (let n = 0; n < 40; n++) deep = { deep };
    const rows: [status: number, path: string, body: unknown][] = [
      [400, "handshake", { hostname: text(201) }],
      [400, "handshake", { hostname: "db\u0000" }],
      [400, "handshake", { hostname: "db\ud800" }],
      [400, "handshake", { capabilities: Array(101).fill("tcp") }],
      [400, "events", { events: [{ message: text(10_001) }] }],
      [400, "events", { events: [{ type: text(201) }] }],
      [400, "events", { events: [{ data: { x: text(16_384) } }] }],
      [400, "events", { events: [{ data: { [text(201)]: 1 } }] }],
      [400, "events", { events: [{ data: { deep } }] }],
      [400, "events", { events: Array(101).fill({ message: "x" }) }],
      [400, "metrics", { custom: { x: text(16_384) } }],
      [400, "metrics", Array(101).fill({ cpu_percent: 1 })],
      [400, "discoveries", { discoveries: [{ kind: "port", name: text(201) }] }],
      [400, "discoveries", { discoveries: [{ kind: "port", name: "x", target: text(2_049) }] }],
      [400, "discoveries", { discoveries: [{ kind: "\u0007", name: "x" }] }],
      [413, "events", { events: Array(100).fill({ message: text(10_000), data: { x: text(5_000) } }) }],
    ];
    for (const [status, path, body] of rows) {
      const answer = await agent.client.post(`${AGENTS}/${path}`, body);
      expect([path, JSON.stringify(body).slice(0, 60), answer.status]).toEqual([
        path,
        JSON.stringify(body).slice(0, 60),
        status,
      ]);
    }
    const { body } = await account.client.get(`${AGENTS}/${agent.id}/detail`);
    expect(body).toMatchObject({ hostname: "db-1", events: [], metrics: null, discoveries: [] });
  });
});
