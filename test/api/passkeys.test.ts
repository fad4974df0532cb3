import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, describe, expect, it, vi } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { openDb } from "../../src/data/db.ts";
import { passkeys, usedChallenges } from "../../src/data/passkeys/table.ts";
import { recoveryCodes } from "../../src/data/two-factor/table.ts";
import { users } from "../../src/data/users/table.ts";
import { sweepExpired } from "../../src/sweeps/expired.ts";
import { codeOf } from "../support/authenticator.ts";
import { CORE, createClient, createClientUnder, V1 } from "../support/client.ts";
import { mailsTo } from "../support/mail.ts";
import {
  browserHeaders,
  createAccountWithPassword,
  openUnderForeignAddress,
  PASSWORD,
  proveAddress,
  STOLEN,
} from "../support/members.ts";
import {
  addPasskey,
  askToSignIn,
  cborStatement,
  confirmWith,
  createAccountWithPasskey,
  createDevice,
  ORIGIN,
  setUpPasskey,
  signInWith,
} from "../support/passkeys.ts";
import { createProtectedAccount, signIn } from "../support/two-factor.ts";

const db = openDb(env.DB);
const PATH = `${CORE}/auth/passkeys`;
const outcomeOf = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];
const REFUSED = [401, "passkey_refused"];

afterEach(() => void vi.useRealTimers());

describe("a new passkey", () => {
  it("takes the password, is listed with its name, and comes with recovery codes the first time", async () => {
    const { client } = await createAccountWithPassword();
    const first = await addPasskey(client, createDevice(), "Phone");
    const second = await addPasskey(client, createDevice(), "Key");
    expect([new Set(first.recovery_codes).size, second.recovery_codes]).toEqual([10, []]);
    const { body } = await client.get(PATH);
    expect(body).toMatchObject([
      { id: first.id, name: "Phone", host: "vigil.test", last_used_at: null },
      { id: second.id, name: "Key" },
    ]);
    expect((await client.get(`${CORE}/auth/me`)).body).toMatchObject({
      has_two_factor: true,
      second_factors: ["passkey"],
    });
  });

  it("is begun by no stolen session or token without the password", async () => {
    const { client } = await createAccountWithPassword();
    expect((await client.post(`${PATH}/setup`, {})).status).toBe(400);
    expect((await client.post(`${PATH}/setup`, { password: "guessed" })).status).toBe(400);
  });

  it("is mailed and audited", async () => {
    const { client, email, passkey } = await createAccountWithPasskey();
    expect((await mailsTo(email)).map(({ subject }) => subject)).toContain("New passkey for your account");
    const { body } = await client.get(`${V1}/audit-logs?event_type=passkey.added`);
    expect(body).toMatchObject([{ target_id: passkey.id, target_type: "passkey" }]);
  });

  it("answers the challenge of its own account, once, within five minutes, from this service's pages", async () => {
    const [{ client }, other] = [await createAccountWithPassword(), await createAccountWithPassword()];
    const add = (credential: unknown) => client.post(PATH, { name: "Phone", credential });
    const device = createDevice();
    const challenge = await setUpPasskey(client, device);
    const refused = [
      device.create(challenge, { origin: "https://vigil.evil.example" }),
      device.create(challenge, { rp_id: "evil.example" }),
      device.create(challenge, { isVerified: false }),
      device.create(await setUpPasskey(other.client, createDevice())),
      device.create((await askToSignIn()).challenge),
      device.create("made up"),
    ];
    for (const credential of refused) expect((await add(credential)).status).toBe(400);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 300_000 });
    expect((await add(device.create(challenge))).status).toBe(400);
    vi.useRealTimers();
    expect((await add(device.create(challenge))).status).toBe(201);
    expect((await add(createDevice().create(challenge))).status).toBe(400);
    expect((await client.get(PATH)).body).toHaveLength(1);
  });

  it("is added to one account alone", async () => {
    const { device } = await createAccountWithPasskey();
    const { client } = await createAccountWithPassword();
    const credential = device.create(await setUpPasskey(client, createDevice()));
    expect((await client.post(PATH, { name: "Copied", credential })).status).toBe(409);
  });

  it("that brings certificates is refused, and no address that they name is asked", async () => {
    const fetched = vi.spyOn(globalThis, "fetch");
    const { client } = await createAccountWithPassword();
    for (const format of ["packed", "apple", "android-key", "tpm", "fido-u2f"]) {
      const device = createDevice();
      const statement = cborStatement(format, Buffer.from("http://169.254.169.254/crl"));
      const credential = device.create(await setUpPasskey(client, device), {}, statement);
      expect((await client.post(PATH, { name: format, credential })).status).toBe(400);
    }
    expect(fetched).not.toHaveBeenCalled();
    fetched.mockRestore();
  });

  it("is one of twenty at most", async () => {
    const { client, user_id } = await createAccountWithPasskey();
    const [row] = await db.select().from(passkeys).where(eq(passkeys.user_id, user_id));
    if (!row) throw new Error("the passkey is not stored");
    const device = createDevice();
    const challenge = await setUpPasskey(client, device);
    for (let n = 1; n < 20; n++) {
      await db.insert(passkeys).values({ ...row, id: crypto.randomUUID(), credential_id: `${row.credential_id}${n}` });
    }
    expect((await client.post(PATH, { name: "21st", credential: device.create(challenge) })).status).toBe(409);
    expect((await client.post(`${PATH}/setup`, { password: PASSWORD })).status).toBe(409);
  });
});

describe("a sign-in by passkey", () => {
  it("needs no address, password or code, and says when the passkey was used", async () => {
    const { device, email, user_id, client } = await createAccountWithPasskey();
    const answer = await signInWith(device);
    expect(answer).toMatchObject({ status: 200, body: { id: user_id, email, second_factors: ["passkey"] } });
    const headers = browserHeaders(answer.headers.get("set-cookie"));
    expect((await createClient().request("GET", `${CORE}/auth/me`, undefined, headers)).body.id).toBe(user_id);
    expect((await client.get(PATH)).body[0].last_used_at).not.toBeNull();
  });

  it("is refused from another site, for another name of the service, and without the person being verified", async () => {
    const { device } = await createAccountWithPasskey();
    expect(outcomeOf(await signInWith(device, { origin: "https://vigil.evil.example" }))).toEqual(REFUSED);
    expect(outcomeOf(await signInWith(device, { rp_id: "evil.example" }))).toEqual(REFUSED);
    expect(outcomeOf(await signInWith(device, { isVerified: false }))).toEqual(REFUSED);
    expect((await signInWith(device)).status).toBe(200);
  });

  it("answers its challenge once, however often and fast the answer is sent again", async () => {
    const { device } = await createAccountWithPasskey();
    const { challenge, headers } = await askToSignIn();
    const body = { passkey: device.sign(challenge) };
    const send = () => createClient().post(`${PATH}/sign-in`, body, headers);
    const answers = await Promise.all([send(), send(), send()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    expect(outcomeOf(await send())).toEqual(REFUSED);
  });

  it("answers a challenge of its own browser, of its purpose, within five minutes", async () => {
    const { device, client } = await createAccountWithPasskey();
    const [mine, other] = [await askToSignIn(), await askToSignIn()];
    const send = (challenge: string, headers: Record<string, string>) =>
      createClient().post(`${PATH}/sign-in`, { passkey: device.sign(challenge) }, headers);
    expect(outcomeOf(await send(mine.challenge, other.headers))).toEqual(REFUSED);
    expect(outcomeOf(await send(mine.challenge, { origin: ORIGIN }))).toEqual(REFUSED);
    const confirming = await client.post(`${PATH}/confirm`);
    expect(outcomeOf(await send(confirming.body.challenge, mine.headers))).toEqual(REFUSED);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 300_000 });
    expect(outcomeOf(await send(mine.challenge, mine.headers))).toEqual(REFUSED);
  });

  it("is refused to a signature of another key, and to one that names another account", async () => {
    const [victim, thief] = [await createAccountWithPasskey(), await createAccountWithPasskey()];
    const { challenge, headers } = await askToSignIn();
    const forged = { ...thief.device.sign(challenge), id: victim.device.id, rawId: victim.device.id };
    const send = (passkey: unknown) => createClient().post(`${PATH}/sign-in`, { passkey }, headers);
    expect(outcomeOf(await send(forged))).toEqual(REFUSED);
    const renamed = thief.device.sign(challenge);
    renamed.response.userHandle = victim.device.user_handle;
    expect(outcomeOf(await send(renamed))).toEqual(REFUSED);
    const { body } = await victim.client.get(`${V1}/audit-logs?event_type=session.refused`);
    expect(body).toHaveLength(1);
  });

  it("is over for a removed passkey, and says the same as for one that never was", async () => {
    const { device, client, passkey } = await createAccountWithPasskey();
    const removed = await client.request("DELETE", `${PATH}/${passkey.id}`, { password: PASSWORD });
    expect(removed.status).toBe(204);
    const answers = [await signInWith(device), await signInWith(createDevice())];
    const told = answers.map(({ status, body: { error, code } }) => [status, error, code]);
    expect(told[0]).toEqual([401, "the passkey is not accepted", "passkey_refused"]);
    expect(told[1]).toEqual(told[0]);
  });

  it("is refused to a counter that repeats itself or goes back, which the audit log explains", async () => {
    const { device, client } = await createAccountWithPasskey();
    device.counter = 7;
    expect((await signInWith(device)).status).toBe(200);
    for (const counter of [7, 6, 0]) {
      device.counter = counter;
      expect(outcomeOf(await signInWith(device))).toEqual(REFUSED);
    }
    const { body } = await client.get(`${V1}/audit-logs?event_type=session.refused`);
    expect(body).toHaveLength(3);
    expect(body[0].summary).toMatch(/the counter of the passkey "Phone" went back/);
    device.counter = 8;
    expect((await signInWith(device)).status).toBe(200);
  });

  it("is no way around the provider that a domain requires", async () => {
    const { device, user_id } = await createAccountWithPasskey();
    await db
      .update(users)
      .set({ email: `${user_id}@strict.example` })
      .where(eq(users.id, user_id));
    expect(await signInWith(device)).toMatchObject({
      status: 400,
      body: { error: "passkey is not used for this address: sign in with Works" },
    });
  });

  it("stores nothing for a caller who only asks for a challenge", async () => {
    const before = await db.$count(usedChallenges);
    await askToSignIn();
    expect(await db.$count(usedChallenges)).toBe(before);
  });
});

describe("a passkey as second factor", () => {
  it("is asked for after the password, and any of the account's factors suffices", async () => {
    const { device, email, passkey, client } = await createAccountWithPasskey();
    expect(outcomeOf(await signIn(email))).toEqual([401, "totp_required"]);
    const { challenge, headers } = await askToSignIn();
    const body = { email, password: PASSWORD, passkey: device.sign(challenge) };
    expect((await createClient().post(`${CORE}/auth/login`, body, headers)).status).toBe(200);
    expect((await signIn(email, { code: passkey.recovery_codes[0] })).status).toBe(200);
    const { secret } = (await client.post(`${CORE}/auth/totp/setup`, { password: PASSWORD })).body;
    const { recovery_codes } = (await client.post(`${CORE}/auth/totp/confirm`, { code: codeOf(secret) })).body;
    expect((await signIn(email, { code: codeOf(secret, 1) })).status).toBe(200);
    expect(outcomeOf(await signIn(email, { code: passkey.recovery_codes[1] }))).toEqual([401, "totp_wrong"]);
    expect((await signIn(email, { code: recovery_codes[0] })).status).toBe(200);
  });

  it("has to be one of the account whose password was given", async () => {
    const [{ email }, thief] = [await createAccountWithPasskey(), await createAccountWithPasskey()];
    const { challenge, headers } = await askToSignIn();
    const body = { email, password: PASSWORD, passkey: thief.device.sign(challenge) };
    expect(outcomeOf(await createClient().post(`${CORE}/auth/login`, body, headers))).toEqual(REFUSED);
  });

  it("keeps a password reset by mail from opening a session", async () => {
    const { email } = await createAccountWithPasskey();
    await proveAddress(email, "a fresh password");
    expect(outcomeOf(await signIn(email, { password: "a fresh password" }))).toEqual([401, "totp_required"]);
  });

  it("ends its recovery codes with the last factor, and not before", async () => {
    const { client, secret, user_id, email } = await createProtectedAccount();
    const { id, recovery_codes } = await addPasskey(client, createDevice());
    expect(recovery_codes).toEqual([]);
    const count = () => db.$count(recoveryCodes, eq(recoveryCodes.user_id, user_id));
    const off = { password: PASSWORD, code: codeOf(secret, 1) };
    expect((await client.post(`${CORE}/auth/totp/disable`, off)).status).toBe(204);
    expect(await count()).toBe(10);
    expect((await client.request("DELETE", `${PATH}/${id}`, { password: PASSWORD })).status).toBe(204);
    expect(await count()).toBe(0);
    expect((await signIn(email)).status).toBe(200);
    expect((await mailsTo(email)).map(({ subject }) => subject)).toContain("A passkey of your account was removed");
  });

  it("of the person who opened the account under a foreign address ends with its proof", async () => {
    const { victim, cookie } = await openUnderForeignAddress();
    const device = createDevice();
    const post = (path: string, body: unknown) => createClient().request("POST", path, body, cookie);
    const { challenge } = (await post(`${PATH}/setup`, { password: STOLEN })).body;
    const added = await post(PATH, { name: "Planted", credential: device.create(challenge) });
    expect(added.status).toBe(201);
    await proveAddress(victim);
    expect((await signInWith(device)).status).toBe(401);
  });
});

describe("to confirm that it is you", () => {
  const changes: [string, string, string, Record<string, unknown>][] = [
    ["set up two-factor sign-in", "POST", `${CORE}/auth/totp/setup`, {}],
    ["begin another passkey", "POST", `${PATH}/setup`, {}],
    ["change the password", "POST", `${CORE}/auth/password`, { new_password: "chosen with a passkey" }],
    ["delete the account", "DELETE", `${CORE}/user`, {}],
  ];

  it.each(changes)("a passkey stands for password and code: %s", async (_what, method, path, body) => {
    const { client, device } = await createAccountWithPasskey();
    const passkey = await confirmWith(client, device);
    const answer = await client.request(method, path, { ...body, passkey });
    expect([200, 204]).toContain(answer.status);
  });

  it.each(
    changes,
  )("an answer is worth nothing twice, and a foreign one nothing: %s", async (_what, method, path, body) => {
    const [{ client, device }, thief] = [await createAccountWithPasskey(), await createAccountWithPasskey()];
    const used = await confirmWith(client, device);
    expect((await client.request("POST", `${CORE}/auth/totp/setup`, { passkey: used })).status).toBe(200);
    const foreign = thief.device.sign((await client.post(`${PATH}/confirm`)).body.challenge);
    const signingIn = device.sign((await askToSignIn()).challenge);
    const otherSession = await confirmWith(thief.client, device);
    for (const passkey of [used, foreign, signingIn, otherSession]) {
      expect((await client.request(method, path, { ...body, passkey })).status).toBe(400);
    }
    const { body: log } = await client.get(`${V1}/audit-logs?event_type=session.refused`);
    expect(log.length).toBeGreaterThanOrEqual(3);
  });

  it("a passkey switches the authenticator app off", async () => {
    const { client } = await createProtectedAccount();
    const device = createDevice();
    await addPasskey(client, device);
    const passkey = await confirmWith(client, device);
    expect((await client.post(`${CORE}/auth/totp/disable`, { passkey })).status).toBe(204);
  });

  it("a passkey removes itself or another one", async () => {
    const { client, device, passkey } = await createAccountWithPasskey();
    const proof = await confirmWith(client, device);
    expect((await client.request("DELETE", `${PATH}/${passkey.id}`, { passkey: proof })).status).toBe(204);
    expect((await client.get(PATH)).body).toEqual([]);
  });
});

describe("passkeys of others", () => {
  it("are neither renamed nor removed", async () => {
    const [{ passkey, client }, other] = [await createAccountWithPasskey(), await createAccountWithPassword()];
    const path = `${PATH}/${passkey.id}`;
    expect((await other.client.patch(path, { name: "Mine" })).status).toBe(404);
    expect((await other.client.request("DELETE", path, { password: PASSWORD })).status).toBe(404);
    expect((await client.patch(path, { name: "Work phone" })).body).toMatchObject({ name: "Work phone" });
  });
});

describe("what is kept of challenges", () => {
  it("is gone once they have expired", async () => {
    const { device } = await createAccountWithPasskey();
    await signInWith(device);
    await sweepExpired(jobScope(env, "test", Date.now() + 301_000));
    expect(await db.$count(usedChallenges)).toBe(0);
  });
});

it("makes passkeys for the name under which the service is visited", async () => {
  const account = await createAccountWithPassword();
  const elsewhere = createClientUnder({ PUBLIC_URL: "https://status.example" }, account.token);
  const setUp = (headers: Record<string, string>) =>
    elsewhere.post(`${PATH}/setup`, { password: PASSWORD }, headers).then(({ body }) => body.rp.id);
  expect(await setUp({ origin: "https://status.example" })).toBe("status.example");
  expect(await setUp({ origin: "http://vigil.test" })).toBe("vigil.test");
  expect(await setUp({ origin: "https://evil.example" })).toBe("status.example");
});
