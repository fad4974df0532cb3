import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { pushAliases } from "../../src/data/push-aliases/table.ts";
import { sha256Hex } from "../../src/platform/credentials.ts";
import { newId } from "../../src/platform/ids.ts";
import { createClient, createClientUnder, V1 } from "../support/client.ts";
import { createAccount } from "../support/factories.ts";
import { createHeartbeat } from "../support/pushes.ts";

const anyone = createClient();
let count = 0;
const newToken = () => `a-token-of-kuma-${count++}`;
const statusOf = async (client: ReturnType<typeof createClient>, id: string) =>
  (await client.get(`${V1}/monitors/${id}`)).body.status;

describe("a credential of another tool", () => {
  it("reports heartbeats as senders of Uptime Kuma do, until it is removed", async () => {
    const account = await createAccount();
    const { client } = account;
    const { id } = await createHeartbeat(account);
    const token = newToken();
    expect(await anyone.get(`/api/push/${token}`)).toMatchObject({ status: 404 });
    expect(await client.put(`${V1}/monitors/${id}/push-alias`, { token })).toMatchObject({
      status: 200,
      body: { monitor_id: id, is_set: true },
    });
    expect(await anyone.get(`/api/push/${token}?status=up&msg=OK&ping=12`)).toMatchObject({
      status: 200,
      body: { ok: true },
    });
    expect(await statusOf(client, id)).toBe("up");
    expect((await anyone.get(`/api/push/${token}?status=down`)).status).toBe(200);
    expect(await statusOf(client, id)).toBe("down");
    await client.put(`${V1}/monitors/${id}/push-alias`, { token: null });
    expect((await anyone.get(`/api/push/${token}`)).status).toBe(404);
  });

  it("reports heartbeats as senders of Gatus do, under the name and the token of the endpoint alone", async () => {
    const account = await createAccount();
    const { id } = await createHeartbeat(account);
    const token = `secret-${newToken()}`;
    await account.client.put(`${V1}/monitors/${id}/push-alias`, { token: `core_job/${token}` });
    const send = (key: string, bearer: string, query = "success=true&duration=10s") =>
      createClient(bearer).post(`/api/v1/endpoints/${key}/external?${query}`);
    expect((await send("core_job", token)).status).toBe(200);
    expect(await statusOf(account.client, id)).toBe("up");
    expect((await send("core_job", token, "success=false&error=disk%20full")).status).toBe(200);
    expect(await statusOf(account.client, id)).toBe("down");
    expect((await send("core_other", token)).status).toBe(401);
    expect((await send("core_job", "another")).status).toBe(401);
  });

  it("belongs to one monitor, is in no answer, and is set by those who may edit the monitor", async () => {
    const [owner, other] = [await createAccount(), await createAccount()];
    const [mine, theirs] = [await createHeartbeat(owner), await createHeartbeat(other)];
    const token = newToken();
    const set = (account: typeof owner, id: string, value: unknown = token) =>
      account.client.put(`${V1}/monitors/${id}/push-alias`, { token: value });
    expect((await set(owner, mine.id)).status).toBe(200);
    expect((await set(owner, mine.id)).status).toBe(200);
    expect(await set(other, theirs.id)).toMatchObject({ status: 409 });
    expect((await set(other, mine.id)).status).toBe(404);
    expect(JSON.stringify((await owner.client.get(`${V1}/monitors/${mine.id}`)).body)).not.toContain(token);
    for (const wrong of ["fifteen-letters", "with spaces in it", "hb_0123456789abcdef", 7]) {
      expect(await set(owner, mine.id, wrong)).toMatchObject({
        status: 400,
        body: { error: expect.stringMatching(/^token /) },
      });
    }
    const website = await owner.client.post(`${V1}/monitors`, {
      name: "Shop",
      type: "http",
      target: "http://sink.test/",
    });
    expect((await set(owner, website.body.id, newToken())).status).toBe(404);
  });

  it("goes on where a former release took a shorter one", async () => {
    const account = await createAccount();
    const { id } = await createHeartbeat(account);
    const token = newToken().slice(0, 2) + newId().slice(0, 8);
    await openDb(env.DB)
      .insert(pushAliases)
      .values({ token_hash: sha256Hex(token), monitor_id: id, created_at: 0 });
    expect((await anyone.get(`/api/push/${token}`)).status).toBe(200);
  });

  it("is not guessed by setting one after the other: each account sets so many an hour", async () => {
    const account = await createAccount();
    const { id } = await createHeartbeat(account);
    const client = createClientUnder({ RATE_LIMITS: "all=off,push_alias=3" }, account.token);
    const statuses: number[] = [];
    for (let n = 0; n < 5; n++) {
      statuses.push((await client.put(`${V1}/monitors/${id}/push-alias`, { token: newToken() })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
  });
});
