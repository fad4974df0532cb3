import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { tokenStatement } from "../../scripts/local/accounts.ts";
import { readWorkerConfig } from "../../scripts/local/config.ts";
import type { Execute } from "../../scripts/local/database.ts";
import { openDatabase } from "../../scripts/local/open-database.ts";
import { stateDirOf } from "../../scripts/local/settings.ts";
import { newApiToken } from "../../src/platform/credentials.ts";
import { newId } from "../../src/platform/ids.ts";
import { migrateToPreviousRelease, PREVIOUS, runPreviousRelease } from "../support/previous-release.ts";
import { PROJECT_ROOT, START_TIMEOUT_MS, startService, temporaryDir } from "./support.ts";

const V1 = "/api/uptime/v1";
const MIGRATIONS = join(PROJECT_ROOT, "migrations");

interface Caller {
  url: string;
  token: string;
}

async function call({ url, token }: Caller, method: string, path: string, body?: object) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  expect(response.status, `${method} ${path}: ${text}`).toBeLessThan(300);
  return /^[[{]/.test(text) ? JSON.parse(text) : {};
}

/** By columns that every release has, since the present one knows tables that the database does not have yet. */
async function makeOwner(execute: Execute): Promise<string> {
  const email = "owner@localhost";
  const token = newApiToken();
  const now = Date.now();
  const owner = {
    sql: `INSERT INTO users (id, email, name, operator, email_verified_at, created_at, updated_at)
      VALUES (?, ?, ?, 1, ?, ?, ?)`,
    params: [newId(now), email, "Owner", now, now, now],
  };
  await execute([owner, tokenStatement(token, { email }, now)]);
  return token;
}

/** Everything that a release writes and reads: rows, an object's state, its history, an event, a delivery. */
async function use(caller: Caller, slug: string, receiver: string) {
  const page = await call(caller, "POST", `${V1}/status-pages`, { name: slug, slug });
  const monitor = await call(caller, "POST", `${V1}/monitors`, {
    name: `Job of ${slug}`,
    type: "heartbeat",
    interval: 86_400,
    status_page_id: page.id,
  });
  const webhook = await call(caller, "POST", `${V1}/webhooks`, {
    name: slug,
    url: receiver,
    events: ["incident.created", "monitor.up"],
    status_page_id: page.id,
    secret: "s".repeat(32),
  });
  await call(caller, "POST", `${V1}/incidents`, { title: `Trouble of ${slug}`, status_page_id: page.id });
  await call(caller, "POST", `/ping/${monitor.heartbeat_token}`);
  await vi.waitFor(async () => expect((await call(caller, "GET", `${V1}/monitors/${monitor.id}`)).status).toBe("up"));
  await deliver(caller, webhook.id);
  return { page, monitor, webhook };
}

/** An attempt is sent, recorded and listed. */
async function deliver(caller: Caller, webhookId: string) {
  const path = `${V1}/webhooks/${webhookId}`;
  expect(await call(caller, "POST", `${path}/test`)).toMatchObject({ delivered: true, status: 200 });
  const listed = () => call(caller, "GET", `${path}/deliveries`);
  await vi.waitFor(async () => {
    expect((await listed())[0]).toMatchObject({ event: "test_event", response_status: 200 });
  });
}

/** What was made by any release is read, pushed and changed. */
async function goOn(caller: Caller, { page, monitor, webhook }: Awaited<ReturnType<typeof use>>, results: number) {
  expect(await call(caller, "GET", `${V1}/status-pages/${page.id}`)).toMatchObject({ slug: page.slug });
  const found = await call(caller, "GET", `${V1}/monitors/${monitor.id}`);
  expect(found).toMatchObject({ status: "up", heartbeat_token: monitor.heartbeat_token });
  await call(caller, "POST", `/ping/${monitor.heartbeat_token}`);
  expect(await call(caller, "GET", `${V1}/monitors/${monitor.id}/results`)).toHaveLength(results);
  await call(caller, "PUT", `${V1}/monitors/${monitor.id}`, { name: `${found.name}!` });
  const incidents = await call(caller, "GET", `${V1}/status-pages/${page.id}/incidents`);
  expect(incidents).toMatchObject([{ title: `Trouble of ${page.slug}` }]);
  const summary = await (await fetch(`${caller.url}/status/${page.slug}/summary.json`)).json();
  expect(summary).toMatchObject({ page: { name: page.slug } });
  await deliver(caller, webhook.id);
}

const EGRESS = { EGRESS_ALLOW: "127.0.0.1" };

describe("an upgrade", () => {
  const server = createServer((request, response) => request.resume().on("end", () => response.end()));
  let receiver: string;
  beforeAll(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    receiver = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it(
    "leaves what the release before wrote, and lets that release run again on the new schema",
    async () => {
      const dir = temporaryDir();
      const old = join(temporaryDir(), "migrations");
      mkdirSync(old);
      for (const file of PREVIOUS.migrations) {
        expect(existsSync(join(MIGRATIONS, file)), "migrations go forward only").toBe(true);
        copyFileSync(join(MIGRATIONS, file), join(old, file));
      }
      await migrateToPreviousRelease(dir, old);
      await using database = await openDatabase(stateDirOf({ STATE_DIR: dir }), readWorkerConfig());
      const token = await makeOwner(database.execute);
      await database[Symbol.asyncDispose]();

      const before = await runPreviousRelease(dir, EGRESS);
      const first = await use({ url: before.url, token }, "first", receiver);
      await before.stop();

      const service = await startService({
        env: { STATE_DIR: dir, RATE_LIMITS: "all=off", LOG_LEVEL: "warn", ...EGRESS },
      });
      const present = { url: service.url, token };
      await goOn(present, first, 2);
      const second = await use(present, "second", receiver);
      await call(present, "GET", "/api/core/v1/uptime/capacity");
      await service.stop();

      const again = await runPreviousRelease(dir, EGRESS);
      await goOn({ url: again.url, token }, first, 3);
      await goOn({ url: again.url, token }, second, 2);
      await again.stop();

      const last = await startService({
        env: { STATE_DIR: dir, RATE_LIMITS: "all=off", LOG_LEVEL: "warn", ...EGRESS },
      });
      await goOn({ url: last.url, token }, first, 4);
      await goOn({ url: last.url, token }, second, 3);
      await last.stop();
    },
    4 * START_TIMEOUT_MS,
  );
});
