import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { ReadState, StateCursor } from "../../src/contract/object-state.ts";
import { newId } from "../../src/platform/ids.ts";
import { OPERATOR_HEADER, OPERATOR_VALID_MS, signOperatorRequest } from "../../src/platform/operator-signature.ts";
import { proberObject } from "../../src/platform/prober-objects.ts";
import { settingsOf } from "../../src/platform/settings.ts";
import worker from "../../src/worker.ts";
import { createClient, V1 } from "../support/client.ts";
import { createAccount, createMonitor } from "../support/factories.ts";

const READ = "/operator/objects/read";
const WRITE = "/operator/objects/write";
const SECRET = settingsOf(env).ROOT_SECRET;

interface Sent {
  path?: string;
  body?: object;
  signature?: string;
  headers?: Record<string, string>;
}

async function send({ path = READ, body = {}, signature, headers = {} }: Sent) {
  const ctx = createExecutionContext();
  const init = {
    method: "POST",
    headers: { "content-type": "application/json", ...headers, ...(signature && { [OPERATOR_HEADER]: signature }) },
    body: JSON.stringify(body),
  };
  const response = await worker.fetch(new Request(`http://vigil.test${path}`, init), env, ctx);
  await waitOnExecutionContext(ctx);
  return { status: response.status, body: JSON.parse(await response.text()) };
}

function sign(path: string, body: object, { secret = SECRET, at = Date.now() } = {}): string {
  const nonce = newId().replaceAll("-", "");
  return signOperatorRequest(secret, { method: "POST", path, body: JSON.stringify(body), now: at, nonce });
}

const signed = (path: string, body: object) => send({ path, body, signature: sign(path, body) });

async function readAll(object: { kind: string; name: string }) {
  const pages: ReadState["page"][] = [];
  let cursor: StateCursor | null = null;
  do {
    const { status, body } = await signed(READ, { ...object, cursor });
    expect(status).toBe(200);
    pages.push(body.page);
    cursor = body.next;
  } while (cursor !== null);
  return pages;
}

async function writeAll(object: { kind: string; name: string }, pages: readonly ReadState["page"][]) {
  for (const [position, page] of pages.entries()) {
    const written = { ...object, page, position, is_last: position === pages.length - 1 };
    expect(await signed(WRITE, written)).toEqual({ status: 200, body: { written: true } });
  }
}

describe("the state of objects", () => {
  const body = { kind: "monitor", name: "none", cursor: null };

  it("does not exist to anybody without the root secret", async () => {
    const { token } = await createAccount();
    const other = { secret: "another-root-secret-another-root-secret" };
    const attempts: [string, Sent][] = [
      ["no signature", { body }],
      ["an account's token", { body, headers: { authorization: `Bearer ${token}` } }],
      ["a token as signature", { body, signature: token }],
      ["another root secret", { body, signature: sign(READ, body, other) }],
      [
        "a signature that is too old",
        { body, signature: sign(READ, body, { at: Date.now() - OPERATOR_VALID_MS - 60_000 }) },
      ],
      [
        "a signature from the future",
        { body, signature: sign(READ, body, { at: Date.now() + OPERATOR_VALID_MS + 60_000 }) },
      ],
      ["a signature for another address", { body, signature: sign(WRITE, body) }],
    ];
    const unknown = { status: 404, body: { error: "route not found" } };
    expect(await send({ path: "/operator/objects/nothing" })).toMatchObject(unknown);
    for (const [name, attempt] of attempts) expect([name, await send(attempt)]).toMatchObject([name, unknown]);
    const { status } = await createClient(token).get(READ);
    expect(status).toBe(404);
  });

  it("is given once for each signature, for the signed body alone", async () => {
    const signature = sign(READ, body);
    expect((await send({ body: { ...body, name: "other" }, signature })).status).toBe(401);
    expect((await send({ body, signature })).status).toBe(200);
    expect(await send({ body, signature })).toMatchObject({
      status: 401,
      body: { error: "the request was sent before" },
    });
  });

  it.each([
    [READ, {}],
    [READ, { kind: "limiter", name: "x", cursor: null }],
    [WRITE, { kind: "monitor", name: "x" }],
  ])("is 400 for a request of another form to %s", async (path, asked) => {
    expect((await signed(path, asked)).status).toBe(400);
  });

  it("of a history of several pages is the same under another name, and goes on from there", async () => {
    const [shard, copy, monitor_id] = [newId(), newId(), newId()];
    const prober = proberObject(env, shard, "default");
    const at = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 7_200_000;
    const check = (n: number, outcome: "success" | "failure") => ({
      monitor_id,
      checked_at: at + n * 1000 + 5,
      outcome,
      latency_ms: n,
      message: `message ${n % 7}`,
      details: { text: `${n} ${"x".repeat(1800)}` },
    });
    for (let n = 0; n < 900; n++) {
      const entries = [check(n, n % 2 === 0 ? "success" : "failure")];
      await prober.record({ slot_at: at + n * 1000, attempt: 0, key: "k", entries });
    }
    const pages = await readAll({ kind: "prober", name: `${shard}/default` });
    expect(pages.length).toBeGreaterThan(1);
    await writeAll({ kind: "prober", name: `${copy}/default` }, pages);
    const copied = proberObject(env, copy, "default");
    const everything = { monitor_id, from: 0, to: Number.MAX_SAFE_INTEGER, limit: 1000 };
    expect(await copied.list(everything)).toEqual(await prober.list(everything));
    const hours = [[monitor_id], 0, 3_600_000] as const;
    expect(await copied.latencies(...hours)).toEqual(await prober.latencies(...hours));
    await copied.record({ slot_at: at + 900_000, attempt: 0, key: "k", entries: [check(900, "success")] });
    expect(await copied.list(everything)).toHaveLength(901);
  });

  it("of a monitor replaces what its object did since, and keeps its push address and its pushes", async () => {
    const { client } = await createAccount();
    const monitor = await createMonitor(client, {
      type: "heartbeat",
      target: undefined,
      interval: 3600,
      paused: false,
    });
    const ping = async (message: string) => {
      const ctx = createExecutionContext();
      const init = { method: "POST", body: message };
      const path = `/ping/${monitor.heartbeat_token}`;
      const { status } = await worker.fetch(new Request(`http://vigil.test${path}`, init), env, ctx);
      expect(status).toBe(200);
      await waitOnExecutionContext(ctx);
    };
    const results = async () => (await client.get(`${V1}/monitors/${monitor.id}/results`)).body.length;
    await ping("one");
    await ping("two");
    const object = { kind: "monitor", name: monitor.id };
    const pages = await readAll(object);
    await ping("three");
    expect(await results()).toBe(3);
    await writeAll(object, pages);
    expect(await results()).toBe(2);
    expect((await client.get(`${V1}/monitors/${monitor.id}`)).body.status).toBe("up");
    await ping("four");
    expect(await results()).toBe(3);
  });

  it("stays as it is until the last page is there", async () => {
    const shard = newId();
    const monitor_id = newId();
    const prober = proberObject(env, shard, "default");
    const entries = [{ monitor_id, checked_at: 1000, outcome: "success" as const, latency_ms: 1, message: "ok" }];
    await prober.record({ slot_at: 1000, attempt: 0, key: "k", entries });
    const object = { kind: "prober", name: `${shard}/default` };
    const [page] = await readAll(object);
    const empty = { tables: (page?.tables ?? []).map((table) => ({ ...table, rows: [] })), values: [] };
    expect((await signed(WRITE, { ...object, page: empty, position: 0, is_last: false })).status).toBe(200);
    const everything = { monitor_id, from: 0, to: 10_000, limit: 10 };
    expect(await prober.list(everything)).toHaveLength(1);
    const last = await signed(WRITE, { ...object, page: empty, position: 2, is_last: true });
    expect(last).toEqual({ status: 400, body: { error: "pages before this one are missing" } });
    expect(await prober.list(everything)).toHaveLength(1);
  });
});
