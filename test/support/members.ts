import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type { Capability, GrantedRole } from "../../src/contract/member.ts";
import type { Plan } from "../../src/contract/plan.ts";
import { openDb } from "../../src/data/db.ts";
import { linkedSignIns } from "../../src/data/linked-sign-ins/table.ts";
import { pageMembers } from "../../src/data/members/table.ts";
import { notifications } from "../../src/data/notifications/table.ts";
import { passwords, sessions } from "../../src/data/sessions/table.ts";
import { randomBase62, sha256Hex } from "../../src/platform/credentials.ts";
import { newId } from "../../src/platform/ids.ts";
import { hashPassword } from "../../src/platform/password.ts";
import { settingsOf } from "../../src/platform/settings.ts";
import { CORE, createClient, V1 } from "./client.ts";
import { type Account, createAccount, createPage } from "./factories.ts";
import { createBrowser } from "./forms.ts";
import { mailsTo } from "./mail.ts";
import { createVisitor } from "./pages.ts";

export const PASSWORD = "correct horse battery";
export const emailOf = ({ user_id }: Account) => `${user_id}@example.com`;
const db = openDb(env.DB);

export interface Grant {
  role: GrantedRole;
  capabilities?: Capability[];
}

/** A membership as its row. */
export async function joinPage(account: Account, status_page_id: string, { role, capabilities = [] }: Grant) {
  const id = newId();
  const now = Date.now();
  const made = { id, status_page_id, user_id: account.user_id, created_at: now, updated_at: now };
  await db.insert(pageMembers).values({ ...made, role, capabilities });
  return id;
}

/** A member, somebody of their own, of a page of this account. */
export async function createMember(owner: Account, grant: Grant = { role: "editor" }, pageId?: string) {
  const id = pageId ?? (await createPage(owner));
  const member = await createAccount();
  return { id, member, member_id: await joinPage(member, id, grant) };
}

/** An invitation to a page of this account, with the token of the API's answer and the one of the mail. */
export async function createInvitation(owner: Account, invited?: Account, body: Record<string, unknown> = {}) {
  const id: string = await createPage(owner);
  const email = invited ? emailOf(invited) : `${newId()}@example.com`;
  const answer = await owner.client.post(`${V1}/status-pages/${id}/members`, { email, role: "viewer", ...body });
  expect(answer).toMatchObject({ status: 201 });
  const invitation_id: string = answer.body.id;
  return { id, invitation_id, email, token: tokenOf(answer.body), mail_token: await mailTokenOf(email) };
}

export function tokenOf({ accept_url }: { accept_url: string }): string {
  return new URL(accept_url).searchParams.get("token") ?? "";
}

/** The token that only the newest mail to this address carries. */
export async function mailTokenOf(email: string): Promise<string> {
  const mails = await mailsTo(email);
  return /\/app\/accept\?token=(\w{43})/.exec(mails.at(-1)?.text ?? "")?.[1] ?? "";
}

/** The token of the newest offer of a status page in the mail to this address. */
export async function transferTokenOf(email: string): Promise<string> {
  const mails = await mailsTo(email);
  return /\/app\/transfer\?token=(\w{43})/.exec(mails.at(-1)?.text ?? "")?.[1] ?? "";
}

export async function insertPassword({ user_id }: Account, password = PASSWORD): Promise<void> {
  const hash = hashPassword(settingsOf(env), password);
  const row = { user_id, hash, created_at: 0, updated_at: 0 };
  await db.insert(passwords).values(row).onConflictDoUpdate({ target: passwords.user_id, set: row });
}

/** What a browser sends whose user has given the password just now, or a while ago. */
export async function insertBrowser({ user_id }: Pick<Account, "user_id">, password_at: number | null = Date.now()) {
  const [id, now, token] = [newId(), Date.now(), randomBase62(43)];
  const times = { password_at, last_used_at: now, created_at: now, updated_at: now };
  await db.insert(sessions).values({ id, user_id, token_hash: sha256Hex(token), ...times });
  return browserHeaders(`vigil_session=${token}`);
}

/** A session that is live, as its row. */
export async function insertSession({ user_id }: Account): Promise<string> {
  const [id, now] = [newId(), Date.now()];
  const times = { last_used_at: now, created_at: now, updated_at: now };
  await db.insert(sessions).values({ id, user_id, token_hash: id, ...times });
  return id;
}

/** A sign-in at another provider, of an account that has a password beside it, as rows. */
export async function insertLinkedSignIn(account: Account): Promise<string> {
  await insertPassword(account);
  const [id, now] = [newId(), Date.now()];
  const times = { begun_at: now, last_used_at: now, created_at: now, updated_at: now };
  const { user_id } = account;
  await db.insert(linkedSignIns).values({ id, user_id, issuer: "https://sink.test/works", subject: id, ...times });
  return id;
}

export async function createAccountWithPassword(password = PASSWORD) {
  const account = await createAccount();
  await insertPassword(account, password);
  return { ...account, email: emailOf(account), password };
}

export async function insertNotice(user_id: string, said: { title?: string; message?: string } = {}): Promise<string> {
  const id = newId();
  const now = Date.now();
  const words = {
    type: "webhook.disabled" as const,
    title: "Webhook switched off",
    message: "Nothing is sent to it.",
    ...said,
  };
  await db.insert(notifications).values({ id, user_id, ...words, created_at: now, updated_at: now });
  return id;
}

/** What a browser sends: its cookie, and where the request comes from. */
export function browserHeaders(setCookie: string | null): Record<string, string> {
  return { cookie: setCookie?.split(";")[0] ?? "", origin: "http://vigil.test" };
}

export const STOLEN = "chosen by the attacker";

/** An attacker opens an account under the address of somebody else and keeps an API token and a session of it. */
export async function openUnderForeignAddress(options: { plan?: Plan } = {}) {
  const attacker = await createAccount(options);
  const page = await createPage(attacker);
  const victim = `${newId()}@example.com`;
  const invite = { email: victim, role: "admin", password: STOLEN, confirmed: true };
  expect((await attacker.client.post(`${V1}/status-pages/${page}/members`, invite)).status).toBe(201);
  const login = await createClient().post(`${CORE}/auth/login`, { email: victim, password: STOLEN });
  const cookie = browserHeaders(login.headers.get("set-cookie"));
  const { body } = await createClient().request("POST", `${CORE}/user/api-tokens`, { name: "kept" }, cookie);
  return { attacker, page, victim, cookie, stolen: createClient(body.token) };
}

/** The path of the link that a request for a new password mails. */
export async function resetLinkOf(email: string): Promise<string> {
  const headers = { "content-type": "application/x-www-form-urlencoded", origin: "http://vigil.test" };
  const body = new URLSearchParams({ email }).toString();
  await createVisitor()("/app/forgotten-password", headers, { method: "POST", body });
  return /http:\/\/vigil\.test(\/app\/reset\?token=\S+)/.exec((await mailsTo(email)).at(-1)?.text ?? "")?.[1] ?? "";
}

/** The owner of the address chooses a password by the mailed link, which proves it. */
export async function proveAddress(email: string, password = PASSWORD): Promise<void> {
  expect((await createBrowser().submit(await resetLinkOf(email), { password })).status).toBe(303);
}
