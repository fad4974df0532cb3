import { env, exports } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { auditLog } from "../../src/data/audit/table.ts";
import { openDb } from "../../src/data/db.ts";
import { preferenceToken } from "../../src/platform/preference-tokens.ts";
import { CORE } from "../support/client.ts";
import { createAccount } from "../support/factories.ts";
import { createAccountWithPassword } from "../support/members.ts";

const path = `${CORE}/user/preferences`;
const EVERYTHING = {
  down: true,
  up: true,
  degraded: true,
  incident: true,
  maintenance: true,
  agent_offline: true,
  certificate: true,
};

describe("PUT /user/preferences", () => {
  it("changes what is named and keeps the rest", async () => {
    const { client } = await createAccount();
    expect((await client.get(path)).body).toEqual({ mail: true, in_app: true, push: true, notify_team: EVERYTHING });
    const changed = { mail: true, in_app: false, push: true, notify_team: { ...EVERYTHING, up: false } };
    expect(await client.put(path, { in_app: false, notify_team: { up: false } })).toMatchObject({
      status: 200,
      body: changed,
    });
    expect((await client.put(path, {})).body).toEqual(changed);
    expect((await client.get(path)).body).toEqual(changed);
    expect((await client.put(path, { in_app: null, notify_team: null })).body).toEqual({
      mail: true,
      in_app: true,
      push: true,
      notify_team: EVERYTHING,
    });
  });

  it.each([
    ["a topic that is no flag", { notify_team: { down: "no" } }, "notify_team.down"],
    ["mail that is no flag", { mail: 1 }, "mail"],
  ])("refuses %s", async (_name, body, field) => {
    const answer = await (await createAccount()).client.put(path, body);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toContain(field);
  });
});

describe("the link of a mail", () => {
  const at = (token: string) => `http://vigil.test/preferences/${token}`;
  const get = (token: string) => exports.default.fetch(new Request(at(token)));
  const post = (token: string, form: Record<string, string>) =>
    exports.default.fetch(new Request(at(token), { method: "POST", body: new URLSearchParams(form) }));

  it("shows the settings without signing in and changes nothing by being opened", async () => {
    const { client, user_id } = await createAccount();
    const answer = await get(preferenceToken(env.ROOT_SECRET, user_id));
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain("Notification settings");
    expect((await client.get(path)).body.mail).toBe(true);
  });

  it("stops all mail on one click, and says so in the audit log", async () => {
    const { client, user_id } = await createAccount();
    const answer = await post(preferenceToken(env.ROOT_SECRET, user_id), { "List-Unsubscribe": "One-Click" });
    expect(answer.status).toBe(200);
    expect((await client.get(path)).body).toEqual({ mail: false, in_app: true, push: true, notify_team: EVERYTHING });
    const [entry] = await openDb(env.DB).select().from(auditLog).where(eq(auditLog.target_id, user_id));
    expect(entry).toMatchObject({ event_type: "user.preferences_updated", actor_type: "system" });
  });

  it("saves what its form chose", async () => {
    const { client, user_id } = await createAccount();
    await post(preferenceToken(env.ROOT_SECRET, user_id), { save: "1", in_app: "on", down: "on" });
    expect((await client.get(path)).body).toEqual({
      mail: false,
      in_app: true,
      push: false,
      notify_team: { ...Object.fromEntries(Object.keys(EVERYTHING).map((topic) => [topic, false])), down: true },
    });
  });

  it("ends with the account", async () => {
    const account = await createAccountWithPassword();
    const token = preferenceToken(env.ROOT_SECRET, account.user_id);
    expect((await get(token)).status).toBe(200);
    const deletion = { password: account.password };
    expect((await account.client.request("DELETE", `${CORE}/user`, deletion)).status).toBe(204);
    const forged = token.replace(/.{4}$/, "AAAA");
    const statusesOf = async (each: string) => [(await get(each)).status, (await post(each, { save: "1" })).status];
    expect(await statusesOf(token)).toEqual(await statusesOf(forged));
  });

  it("is worth nothing when it is forged or another user's", async () => {
    const [{ user_id }, other] = [await createAccount(), await createAccount()];
    const mac = preferenceToken(env.ROOT_SECRET, user_id).split(".")[1];
    for (const token of [`${other.user_id}.${mac}`, `${user_id}.${"x".repeat(32)}`, "nonsense"]) {
      expect((await get(token)).status).toBe(410);
      expect((await post(token, { stop: "1" })).status).toBe(410);
    }
    expect((await other.client.get(path)).body.mail).toBe(true);
  });
});
