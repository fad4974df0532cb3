import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import type { Row } from "../../scripts/local/database.ts";
import { isWellFormedApiToken, sha256Hex } from "../../src/platform/credentials.ts";
import { codeOf } from "../support/authenticator.ts";
import { runNpm, type Service, START_TIMEOUT_MS, startService, temporaryDir } from "./support.ts";

function runToken(stateDir: string, ...args: string[]) {
  return runNpm(["run", "--silent", "token", "--", ...args], { env: { STATE_DIR: stateDir } });
}

/** The token's text, after making sure that it was all of the output. */
async function makeToken(stateDir: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runToken(stateDir, ...args);
  expect({ code, stderr: stderr.replace(/^npm warn.*\n/gm, "") }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^sk_svc_\w+\n$/);
  expect(isWellFormedApiToken(stdout.trim())).toBe(true);
  return stdout.trim();
}

async function recordOf(service: Service, token: string): Promise<Row | undefined> {
  const sql = `SELECT email, users.name, plan, beta, expires_at, user_id FROM api_tokens JOIN users ON users.id = user_id
    WHERE token_hash = ?`;
  const [rows] = await service.execute([{ sql, params: [sha256Hex(token)] }]);
  return rows?.[0];
}

/** Opens a fresh sign-in link as its form would; gives the cookie of the session. */
async function openSignInLink(service: Service, email: string): Promise<string> {
  // Another port than the usual one, which nothing but the running service knows.
  const env = { STATE_DIR: service.stateDir };
  const printed = await runNpm(["run", "--silent", "token", "--", "--email", email, "--sign-in-link"], { env });
  const link = printed.stdout.trim();
  expect(link).toMatch(new RegExp(`^${service.url}/app/sign-in/link\\?token=\\w{43}$`));
  const open = () => fetch(link, { method: "POST", redirect: "manual", headers: { origin: service.url } });
  const answer = await open();
  expect(answer.status).toBe(303);
  expect((await open()).status).toBe(410);
  return answer.headers.get("set-cookie")?.split(";")[0] ?? "";
}

describe("npm run token", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ env: { RATE_LIMITS: "all=off" } });
  }, START_TIMEOUT_MS);
  const someone = () => `Someone.${randomUUID().slice(0, 8)}@Mail.example`;

  it("makes a user with the operator's defaults and a token that never expires", async () => {
    const email = someone();
    const token = await makeToken(service.stateDir, "--email", email);
    const local = email.toLowerCase().split("@")[0];
    expect(await recordOf(service, token)).toMatchObject({
      email: email.toLowerCase(),
      name: local,
      plan: null,
      beta: null,
      expires_at: null,
    });
  });

  it("takes name, plan, beta flag and expiry", async () => {
    const flags = ["--name", "Ada O'Neil", "--plan", "pro", "--no-beta", "--expires-at", "2020-01-31T12:00:00+01:00"];
    const token = await makeToken(service.stateDir, "--email", someone(), ...flags);
    expect(await recordOf(service, token)).toMatchObject({
      name: "Ada O'Neil",
      plan: "pro",
      beta: 0,
      expires_at: Date.parse("2020-01-31T11:00:00Z"),
    });
  });

  it("changes of a known user what is named and nothing else", async () => {
    const email = someone();
    const first = await makeToken(service.stateDir, "--email", email, "--name", "Ada", "--plan", "pro", "--beta");
    const second = await makeToken(service.stateDir, "--email", email.toUpperCase(), "--plan", "business");
    expect(second).not.toBe(first);
    const record = await recordOf(service, second);
    expect(record).toMatchObject({ name: "Ada", plan: "business", beta: 1 });
    expect(await recordOf(service, first)).toEqual(record);
  });

  it("lets somebody who forgot the password set a new one, and ends their sessions alone", async () => {
    const call = (path: string, init: { body?: object; headers?: Record<string, string> }) =>
      fetch(`${service.url}/api/core/v1/auth/${path}`, {
        method: init.body ? "POST" : "GET",
        headers: { "content-type": "application/json", ...init.headers },
        ...(init.body && { body: JSON.stringify(init.body) }),
      });
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    const withPassword = async (password: string) => {
      const email = someone().toLowerCase();
      const token = await makeToken(service.stateDir, "--email", email);
      await setFirstPassword(email, password);
      const signedIn = await call("login", { body: { email, password } });
      expect(signedIn.status).toBe(200);
      const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";
      return { email, token, cookie };
    };
    const setFirstPassword = async (email: string, password: string) => {
      const cookie = await openSignInLink(service, email);
      const headers = { cookie, origin: service.url };
      expect((await call("password", { body: { new_password: password }, headers })).status).toBe(204);
    };
    const ada = await withPassword("the first of her passwords");
    const bob = await withPassword("another one altogether");

    const setup = await call("totp/setup", {
      body: { password: "the first of her passwords" },
      headers: bearer(ada.token),
    });
    const { secret } = (await setup.json()) as { secret: string };
    const confirmed = await call("totp/confirm", { body: { code: codeOf(secret) }, headers: bearer(ada.token) });
    expect(confirmed.status).toBe(200);

    const token = await makeToken(service.stateDir, "--email", ada.email.toUpperCase(), "--forget-password");

    expect((await call("me", { headers: { cookie: ada.cookie } })).status).toBe(401);
    const old = { email: ada.email, password: "the first of her passwords" };
    expect((await call("login", { body: old })).status).toBe(401);
    const byToken = await call("password", { body: { new_password: "a second one" }, headers: bearer(token) });
    expect(byToken.status).toBe(403);
    await setFirstPassword(ada.email, "a second one");
    expect((await call("login", { body: old })).status).toBe(401);
    expect((await call("login", { body: { ...old, password: "a second one" } })).status).toBe(200);
    expect((await call("me", { headers: bearer(ada.token) })).status).toBe(200);
    expect((await call("me", { headers: { cookie: bob.cookie } })).status).toBe(200);
    const audit = await fetch(`${service.url}/api/uptime/v1/audit-logs?event_type=password.removed`, {
      headers: bearer(token),
    });
    expect(await audit.json()).toMatchObject([
      { actor: { type: "system", name: "operator" }, summary: `the operator removed the password of ${ada.email}` },
    ]);
  });

  it("names the port of the service that runs on its state directory", async () => {
    await openSignInLink(service, someone().toLowerCase());
    const stopped = temporaryDir();
    const { stdout } = await runToken(stopped, "--email", "later@mail.example", "--sign-in-link");
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:8787\/app\/sign-in\/link\?token=\w{43}\n$/);
  });

  it("forgets the password of nobody who is not there, and makes no account of a mistyped address", async () => {
    const email = someone().toLowerCase();
    const { code, stdout, stderr } = await runToken(service.stateDir, "--email", email, "--forget-password");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(`no account exists for ${email}`);
    const [users] = await service.execute([{ sql: "SELECT 1 FROM users WHERE email = ?", params: [email] }]);
    expect(users).toEqual([]);
  });

  it.each([
    ["no address", []],
    ["a bad address", ["--email", "nobody"]],
    ["an unknown plan", ["--email", "a@b.example", "--plan", "gold"]],
    ["a bad date", ["--email", "a@b.example", "--expires-at", "tomorrow"]],
    ["an unknown flag", ["--email", "a@b.example", "--admin"]],
    ["a word too many", ["--email", "a@b.example", "now"]],
  ])("refuses %s with its usage", async (_, args) => {
    const { code, stdout, stderr } = await runToken(service.stateDir, ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("usage: npm run --silent token -- --email");
    expect(stderr).not.toContain("    at ");
  });

  it("works before the first start, and that start makes no owner of its own", async () => {
    const stateDir = temporaryDir();
    const token = await makeToken(stateDir, "--email", "first@mail.example");
    const later = await startService({ env: { STATE_DIR: stateDir } });
    expect(later.token).toBeUndefined();
    expect(await recordOf(later, token)).toMatchObject({ email: "first@mail.example" });
    await later.stop();
    const offline = await makeToken(stateDir, "--email", "second@mail.example");
    const again = await startService({ env: { STATE_DIR: stateDir } });
    expect(await recordOf(again, offline)).toMatchObject({ email: "second@mail.example" });
    await again.stop();
  });

  it("works for many callers at once while nothing runs and while the service starts", async () => {
    const stateDir = temporaryDir();
    const early = [1, 2, 3].map((n) => makeToken(stateDir, "--email", `early${n}@mail.example`));
    await Promise.all(early);
    const starting = startService({ env: { STATE_DIR: stateDir } });
    const during = await makeToken(stateDir, "--email", "during@mail.example");
    const running = await starting;
    for (const token of [...(await Promise.all(early)), during]) expect(await recordOf(running, token)).toBeDefined();
    await running.stop();
  });
});
