import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { openSecrets } from "../../src/access/monitor-secrets.ts";
import { openDb } from "../../src/data/db.ts";
import { findMonitor } from "../../src/data/monitors/read.ts";
import { settingsOf } from "../../src/platform/settings.ts";
import { V1 } from "../support/client.ts";
import { createAccount, createMonitor } from "../support/factories.ts";

const CANARY = "canary-7f3a";

async function everythingStored(): Promise<string> {
  const tables = ["monitors", "audit_log", "idempotency_keys", "events", "check_groups"];
  const rows = await Promise.all(tables.map((table) => env.DB.prepare(`SELECT * FROM ${table}`).all()));
  return JSON.stringify(rows.map(({ results }) => results));
}

async function asProbeSees(monitorId: string) {
  const record = await findMonitor(openDb(env.DB), monitorId);
  if (!record) throw new Error("no such monitor");
  return openSecrets(settingsOf(env), record);
}

describe("secrets of a monitor", () => {
  it("are shown to its owner, reach the probe and lie nowhere in clear", async () => {
    const { client } = await createAccount();
    const http_headers = JSON.stringify({ Authorization: `Bearer ${CANARY}`, Accept: "*/*" });
    const web = await createMonitor(client, { http_headers });
    const target = `postgres://shop:${CANARY}@db.a.example:5432/shop`;
    const db = await createMonitor(client, { type: "postgres", target });
    expect([web.http_headers, db.target]).toEqual([http_headers, target]);
    expect(await asProbeSees(web.id)).toMatchObject({ fields: { http_headers } });
    expect(await asProbeSees(db.id)).toMatchObject({ target });
    const stored = await everythingStored();
    expect(stored).not.toContain(CANARY);
    expect(stored).toContain("postgres://shop:***@db.a.example:5432/shop");
  });

  it("include the password in an http address, and headers may come as native JSON", async () => {
    const { client } = await createAccount();
    const target = `https://ann:${CANARY}-web@shop.example/`;
    const monitor = await createMonitor(client, { target, http_headers: { "X-Key": `${CANARY}-key`, "X-Number": 1 } });
    expect(monitor).toMatchObject({ target, http_headers: `{"X-Key":"${CANARY}-key","X-Number":1}` });
    const stored = await everythingStored();
    expect(stored).not.toContain(CANARY);
    expect(stored).toContain("https://ann:***@shop.example/");
  });

  it("stay as they are where *** is sent back, and change where a value is", async () => {
    const { client } = await createAccount();
    const { id } = await createMonitor(client, { http_headers: `Authorization: ${CANARY}\nX-Old: 1` });
    const masked = JSON.stringify({ authorization: "***", "X-New": "2" });
    const changed = await client.put(`${V1}/monitors/${id}`, { http_headers: masked });
    expect(JSON.parse(changed.body.http_headers)).toEqual({ authorization: CANARY, "X-New": "2" });
    expect((await client.put(`${V1}/monitors/${id}`, { http_headers: "***" })).body.http_headers).toBe(
      changed.body.http_headers,
    );
    expect(await client.put(`${V1}/monitors/${id}`, { http_headers: "X-Other: ***" })).toMatchObject({
      status: 400,
      body: { error: "http_headers has no stored value for X-Other" },
    });
    expect((await client.put(`${V1}/monitors/${id}`, { http_headers: null })).body.http_headers).toBeNull();
    expect(await asProbeSees(id)).toMatchObject({ fields: {} });
  });

  it("keep a password with its host, and never send it to another", async () => {
    const { client } = await createAccount();
    const { id } = await createMonitor(client, { type: "redis", target: `redis://:${CANARY}@cache.a.example:6379/0` });
    const path = `${V1}/monitors/${id}`;
    const moved = await client.put(path, { target: "redis://:***@cache.a.example:6379/1" });
    expect(moved.body.target).toBe(`redis://:${CANARY}@cache.a.example:6379/1`);
    for (const target of ["redis://:***@evil.example:6379/1", "redis://admin:***@cache.a.example:6379/1"]) {
      expect(await client.put(path, { target })).toMatchObject({
        status: 400,
        body: { error: "target needs its password again, because its host or user changed" },
      });
    }
    expect(await asProbeSees(id)).toMatchObject({ target: `redis://:${CANARY}@cache.a.example:6379/1` });
  });

  it("cannot be *** before there is something to keep", async () => {
    const { client } = await createAccount();
    const body = { name: "x", type: "redis", target: "redis://:***@cache.a.example:6379" };
    expect(await client.post(`${V1}/monitors`, body)).toMatchObject({ status: 400 });
  });

  it("are no part of the audit, which says only that they changed", async () => {
    const { client } = await createAccount();
    const { id } = await createMonitor(client);
    await client.put(`${V1}/monitors/${id}`, { http_headers: `Authorization: ${CANARY}`, name: "New" });
    await client.put(`${V1}/monitors/${id}`, { name: "Newer" });
    const rows = await env.DB.prepare("SELECT data FROM audit_log WHERE monitor_id = ? AND event_type = ? ORDER BY id")
      .bind(id, "monitor.updated")
      .all<{ data: string }>();
    const changes = rows.results.map(({ data }) => JSON.parse(data));
    expect(changes).toEqual([{ changed: ["name", "secrets"] }, { changed: ["name"] }]);
  });
});
