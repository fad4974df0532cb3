import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { auditLog } from "../../src/data/audit/table.ts";
import { openDb } from "../../src/data/db.ts";
import { sweepAuditStreams } from "../../src/delivery/audit-stream.ts";
import { newId } from "../../src/platform/ids.ts";
import { playQueues } from "../support/alerts.ts";
import { CORE, V1 } from "../support/client.ts";
import { type Account, createAccount } from "../support/factories.ts";
import { insertPage } from "../support/monitors.ts";
import { recordingEnv } from "../support/queues.ts";
import { useSink } from "../support/sink.ts";
import { recordStatements } from "../support/statements.ts";
import { createWebhook } from "../support/webhooks.ts";

const sink = useSink();
const db = openDb(env.DB);
const MINUTE = 60_000;
const AUDIT = { events: ["audit.recorded"] };

async function aStage() {
  const account = await createAccount();
  sink.serve("https://sink.test/", () => new Response("ok"));
  const recording = recordingEnv();
  const { drain } = playQueues(recording);
  /** Runs the minute's part, and sends what it left in the queues. */
  const pass = async (now = Date.now()) => {
    await sweepAuditStreams({ ...jobScope(recording.env, "test"), now });
    await drain(now, now);
  };
  const makePage = () => insertPage(account.user_id);
  return { account, pass, makePage };
}

const bodiesOf = ({ url }: { url: string }) =>
  sink.received.filter((request) => request.url === url).map(({ body }) => JSON.parse(body));
const summariesOf = (webhook: { url: string }) => bodiesOf(webhook).map(({ data }) => data.summary);
const makeToken = ({ client }: Account, name: string) => client.post(`${CORE}/user/api-tokens`, { name });

/** As a request leaves it that began then. */
const record = (owner_id: string, summary: string, created_at: number, status_page_id: string | null = null) =>
  db.insert(auditLog).values({
    id: newId(created_at),
    owner_id,
    status_page_id,
    event_type: "token.created",
    actor_type: "user",
    actor_name: "ada@shop.example",
    target_type: "api_token",
    target_id: null,
    summary,
    ip: "192.0.2.7",
    created_at,
  });

describe("a webhook that lists audit.recorded", () => {
  it("is sent each entry once, as the audit log has it, signed and in order, from its own creation on", async () => {
    const { account, pass } = await aStage();
    await makeToken(account, "Before");
    const hook = await createWebhook(account, { ...AUDIT, secret: "a secret of ours" });
    await makeToken(account, "Deploys");
    await pass();
    await pass();
    expect(summariesOf(hook)).toEqual(['created webhook "Ops"', 'created API token "Deploys"']);
    const { body: log } = await account.client.get(`${V1}/audit-logs`);
    const [newest] = bodiesOf(hook).slice(-1);
    expect(newest).toMatchObject({ event: "audit.recorded", status_page_id: null, data: log[0] });
    const [request] = sink.received.filter(({ url }) => url === hook.url);
    expect(request?.headers.get("webhook-signature")).toMatch(/^v1,/);
  });

  it("hears nothing else, and no other webhook hears of entries, also of one that names no events", async () => {
    const { account, pass } = await aStage();
    const everything = await createWebhook(account);
    await makeToken(account, "Deploys");
    await pass();
    expect(bodiesOf(everything)).toEqual([]);
  });

  it("of a page is sent what concerns the page, without addresses of visitors, and one of the account all of it", async () => {
    const { account, pass, makePage } = await aStage();
    const [page, other] = [await makePage(), await makePage()];
    const ofPage = await createWebhook(account, { ...AUDIT, status_page_id: page });
    const ofAccount = await createWebhook(account, AUDIT);
    const now = Date.now();
    await record(account.user_id, "on the page", now, page);
    await record(account.user_id, "elsewhere", now + 1, other);
    await record(account.user_id, "of the account", now + 2);
    await record((await createAccount()).user_id, "of somebody else", now + 3);
    await pass(now + MINUTE);
    expect(summariesOf(ofPage).slice(1)).toEqual(["on the page"]);
    const received = bodiesOf(ofAccount).slice(-3);
    expect(received.map(({ data }) => [data.summary, data.ip])).toEqual([
      ["on the page", null],
      ["elsewhere", null],
      ["of the account", "192.0.2.7"],
    ]);
    expect(summariesOf(ofAccount)).not.toContain("of somebody else");
  });

  it("misses no entry of a request that took minutes to end", async () => {
    const { account, pass } = await aStage();
    const hook = await createWebhook(account, AUDIT);
    const began = Date.now();
    await record(account.user_id, "quick", began + 2 * MINUTE);
    await pass(began + 3 * MINUTE);
    await record(account.user_id, "slow", began + 1);
    await pass(began + 4 * MINUTE);
    expect(summariesOf(hook).slice(-2)).toEqual(["quick", "slow"]);
  });

  it("that was switched off is sent what is logged after it is on again", async () => {
    const { account, pass } = await aStage();
    const hook = await createWebhook(account, AUDIT);
    await pass();
    await account.client.patch(`${V1}/webhooks/${hook.id}/toggle`);
    await makeToken(account, "Unheard");
    await pass();
    await account.client.patch(`${V1}/webhooks/${hook.id}/toggle`);
    await makeToken(account, "Heard");
    await pass();
    const heard = summariesOf(hook);
    expect(heard).toContain('created API token "Heard"');
    expect(heard).not.toContain('created API token "Unheard"');
  });

  it("that lists it no more hears no more", async () => {
    const { account, pass } = await aStage();
    const hook = await createWebhook(account, AUDIT);
    await account.client.put(`${V1}/webhooks/${hook.id}`, { events: ["monitor.down"] });
    await makeToken(account, "Unheard");
    await pass();
    expect(bodiesOf(hook)).toEqual([]);
  });

  it("gets a long log in portions of a minute, of which each entry comes once", async () => {
    const { account, pass } = await aStage();
    const hook = await createWebhook(account, AUDIT);
    const now = Date.now();
    const names = Array.from({ length: 450 }, (_, n) => `entry ${String(n).padStart(3, "0")}`);
    for (const [n, name] of names.entries()) await record(account.user_id, name, now + n);
    for (let minute = 1; minute <= 4; minute++) await pass(now + minute * MINUTE);
    expect(summariesOf(hook).slice(1).toSorted()).toEqual(names);
  });

  it("costs one question of an installation where nothing is new, and five more of an account where something is", async () => {
    const { account, pass } = await aStage();
    await createWebhook(account, AUDIT);
    const questions = async () => {
      const { DB, record } = recordStatements();
      await sweepAuditStreams(jobScope({ ...recordingEnv().env, DB }, "test"));
      return record.statements.length;
    };
    await pass();
    await makeToken(account, "Deploys");
    expect([await questions(), await questions()]).toEqual([6, 1]);
  });

  it("takes no event of a user's own under its name", async () => {
    const { account, makePage } = await aStage();
    const emitted = { event_name: "audit.recorded", title: "Made up" };
    const { status, body } = await account.client.post(`${V1}/status-pages/${await makePage()}/events/emit`, emitted);
    expect([status, body.error]).toEqual([400, expect.stringContaining("event_name")]);
  });
});
