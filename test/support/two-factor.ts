import { expect } from "vitest";
import { codeOf } from "./authenticator.ts";
import { CORE, createClient } from "./client.ts";
import { createAccountWithPassword, PASSWORD } from "./members.ts";

export const signIn = (email: string, fields: { password?: string; code?: string | undefined } = {}) =>
  createClient().post(`${CORE}/auth/login`, { email, password: PASSWORD, ...fields });

/** An account with two-factor sign-in; the code of the present step is used up by its confirmation. */
export async function createProtectedAccount() {
  const account = await createAccountWithPassword();
  const { body } = await account.client.post(`${CORE}/auth/totp/setup`, { password: PASSWORD });
  const secret: string = body.secret;
  const confirmed = await account.client.post(`${CORE}/auth/totp/confirm`, { code: codeOf(secret) });
  expect(confirmed.status).toBe(200);
  const recovery_codes: string[] = confirmed.body.recovery_codes;
  return { ...account, secret, recovery_codes };
}
