import { afterEach, describe, expect, it, vi } from "vitest";
import { CORE, createClient, V1 } from "../support/client.ts";
import { createAccount } from "../support/factories.ts";
import { mailsTo } from "../support/mail.ts";
import { emailOf } from "../support/members.ts";

const PATH = `${CORE}/user/api-tokens`;
const HOUR = 3_600_000;

afterEach(() => void vi.useRealTimers());

async function createToken(body: Record<string, unknown> = {}) {
  const account = await createAccount();
  const made = (await account.client.post(PATH, { name: "CI", ...body })).body;
  const rotate = (overlap_hours?: number) => account.client.post(`${PATH}/${made.id}/rotate`, { overlap_hours });
  return { account, id: made.id as string, first: made.token as string, rotate };
}

const reach = async (token: string) => (await createClient(token).get(`${V1}/monitors`)).status;

describe("a rotated token", () => {
  it("has a new secret at once, and the one before for as long as was said", async () => {
    const { account, id, first, rotate } = await createToken({ scopes: ["read"] });
    const { status, body } = await rotate(2);
    expect([status, body.id, body.scopes, body.token === first]).toEqual([200, id, ["read"], false]);
    expect([await reach(body.token), await reach(first)]).toEqual([200, 200]);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2 * HOUR });
    expect([await reach(body.token), await reach(first)]).toEqual([200, 401]);
    const { body: log } = await account.client.get(`${V1}/audit-logs?event_type=token.rotated`);
    expect(log).toMatchObject([{ target_id: id }]);
    const subjects = (await mailsTo(emailOf(account))).map(({ subject }) => subject);
    expect(subjects).toContain("An API token of your account was rotated");
  });

  it("ends the one before at once where it leaked", async () => {
    const { first, rotate } = await createToken();
    const { token } = (await rotate(0)).body;
    expect([await reach(token), await reach(first)]).toEqual([200, 401]);
  });

  it("ends what was rotated away earlier", async () => {
    const { first, rotate } = await createToken();
    const second = (await rotate(168)).body.token;
    const third = (await rotate(168)).body.token;
    expect([await reach(first), await reach(second), await reach(third)]).toEqual([401, 200, 200]);
  });

  it("says whether the secret before is still in use", async () => {
    const { account, first, rotate } = await createToken();
    const { token } = (await rotate()).body;
    await reach(token);
    const find = async () => (await account.client.get(PATH)).body.find((each: { name: string }) => each.name === "CI");
    expect((await find()).former_used_at).toBeNull();
    await reach(first);
    await vi.waitFor(async () => expect((await find()).former_used_at).not.toBeNull());
  });

  it("keeps its limits and its end, under either secret", async () => {
    const { first, rotate } = await createToken({ scopes: ["read"], expires_in_days: 30 });
    const { token } = (await rotate(168)).body;
    for (const secret of [first, token]) {
      expect((await createClient(secret).post(`${V1}/monitors`, {})).status).toBe(403);
    }
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 30 * 24 * HOUR });
    expect([await reach(token), await reach(first)]).toEqual([401, 401]);
    expect((await rotate()).status).toBe(409);
  });

  it("is worth nothing under either secret once it is revoked", async () => {
    const { account, id, first, rotate } = await createToken();
    const { token } = (await rotate(168)).body;
    expect((await account.client.delete(`${PATH}/${id}`)).status).toBe(204);
    expect([await reach(token), await reach(first)]).toEqual([401, 401]);
  });

  it("is rotated by its holder alone, with an overlap of a week at most, and not by itself where it is limited", async () => {
    const { id, rotate, first } = await createToken({ scopes: ["read"] });
    expect((await (await createAccount()).client.post(`${PATH}/${id}/rotate`, {})).status).toBe(404);
    expect((await rotate(169)).status).toBe(400);
    expect((await createClient(first).post(`${PATH}/${id}/rotate`, {})).status).toBe(403);
  });

  it("is rotated once by two requests at the same time", async () => {
    const { rotate } = await createToken();
    const answers = await Promise.all([rotate(0), rotate(0)]);
    const tokens = answers.filter(({ status }) => status === 200).map(({ body }) => body.token);
    for (const token of tokens.slice(-1)) expect(await reach(token)).toBe(200);
    const reached = await Promise.all(tokens.map(reach));
    expect(reached.filter((status) => status === 200)).toHaveLength(1);
  });
});
