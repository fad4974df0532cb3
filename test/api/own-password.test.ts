import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { openDb } from "../../src/data/db.ts";
import { apiTokens } from "../../src/data/users/table.ts";
import { CORE, createClientUnder, V1 } from "../support/client.ts";
import { mailsTo } from "../support/mail.ts";
import { createAccountWithPassword, insertBrowser, PASSWORD } from "../support/members.ts";

const WRONG = "a wrong guess";
const FRESH = "a fresh password";
const LIMITS = { RATE_LIMITS: "all=off,own_password=10,guesses_mail=1" };

/** An account, and a thief of its API token who comes from another network each time. */
async function rob() {
  const account = await createAccountWithPassword();
  const thief = createClientUnder(LIMITS, account.token);
  let network = 0;
  const attempt = async (method: string, path: string, body: object) => {
    const from = { "cf-connecting-ip": `198.51.${network++}.7` };
    return (await thief.request(method, CORE + path, body, from)).status;
  };
  const guess = (current_password = WRONG) =>
    attempt("POST", "/auth/password", { current_password, new_password: FRESH });
  return { ...account, attempt, guess };
}

describe("wrong passwords of a signed-in caller", () => {
  it("are ten an hour for the account, from however many addresses and by everything that asks for the password", async () => {
    const { attempt, guess, email } = await rob();
    const statuses = [
      await guess(),
      await attempt("POST", "/auth/totp/setup", { password: WRONG }),
      await attempt("POST", "/auth/totp/disable", { password: WRONG, code: "123456" }),
      await attempt("DELETE", "/user", { password: WRONG }),
    ];
    while (statuses.length < 10) statuses.push(await guess());
    expect(new Set(statuses)).toEqual(new Set([400]));
    // The right one is not accepted either, so that the answer reveals nothing.
    expect([await guess(), await guess(PASSWORD)]).toEqual([429, 429]);
    expect(await attempt("DELETE", "/user", { password: PASSWORD })).toBe(429);
    const signIn = await createClientUnder(LIMITS).post(`${CORE}/auth/login`, { email, password: PASSWORD });
    expect(signIn.status).toBe(200);
  });

  it("cannot be more by asking at once", async () => {
    const { guess } = await rob();
    const statuses = await Promise.all(Array.from({ length: 14 }, () => guess()));
    expect(statuses.filter((status) => status === 400).length).toBeLessThanOrEqual(10);
    expect(statuses).toContain(429);
  });

  it("are audited with the token that was used, and mailed to the holder once", async () => {
    const { guess, email, user_id, client } = await rob();
    for (let n = 0; n < 9; n++) await guess();
    expect(await mailsTo(email)).toEqual([]);
    for (let n = 0; n < 4; n++) await guess();
    expect(await mailsTo(email)).toMatchObject([
      { subject: "Wrong passwords for your account", text: expect.stringContaining("The audit log names") },
    ]);
    const { body } = await client.get(`${V1}/audit-logs?event_type=session.refused`);
    expect(body).toHaveLength(10);
    const [token] = await openDb(env.DB).select().from(apiTokens).where(eq(apiTokens.user_id, user_id));
    expect(body[0]).toMatchObject({ target_id: user_id, ip: "198.51.9.7", actor: { type: "token", id: token?.id } });
    expect(JSON.stringify(body)).not.toContain(WRONG);
  });

  it("count for its sessions together with its tokens", async () => {
    const { guess, user_id } = await rob();
    for (let n = 0; n < 10; n++) await guess();
    const session = await insertBrowser({ user_id });
    const body = { current_password: PASSWORD, new_password: FRESH };
    const client = createClientUnder(LIMITS);
    expect((await client.request("POST", `${CORE}/auth/password`, body, session)).status).toBe(429);
  });
});

it("right passwords are not counted", async () => {
  const { attempt } = await rob();
  for (let n = 0; n < 12; n++) expect(await attempt("POST", "/auth/totp/setup", { password: PASSWORD })).toBe(200);
});
