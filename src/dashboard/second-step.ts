import { z } from "zod";
import type { RequestScope } from "../access/scope.ts";
import { ApiError } from "../contract/errors.ts";
import { PasskeyAssertion } from "../contract/passkey.ts";
import { Login } from "../contract/session.ts";
import { signInByPasskey } from "../features/sessions/passkeys.ts";
import { signIn } from "../features/sessions/service.ts";
import { MINUTE_MS } from "../lib/durations.ts";
import { seal, unseal } from "../platform/seal.ts";
import { parseFields } from "./form.ts";

/**
 * Sign-in in two steps without a session between them: the form that asks for the code carries the password along, sealed
 * for this address and ten minutes, so that it stands readable in no page.
 */
const KEPT_MS = 10 * MINUTE_MS;
const Entered = z.object({ password: z.string(), expires_at: z.number() });

/** Signs in with the fields of either step, or by a passkey in place of both. */
export async function signInByForm(ctx: RequestScope, form: URLSearchParams) {
  const fields = new URLSearchParams(form);
  if (!fields.get("password")) fields.set("password", await openEntered(ctx, form));
  const passkey = readPasskey(form);
  if (passkey && !fields.get("password")) return signInByPasskey(ctx, passkey);
  return signIn(ctx, { ...parseFields(Login, fields, ["email", "password", "code"]), passkey });
}

function readPasskey(form: URLSearchParams): PasskeyAssertion | null {
  const text = form.get("passkey");
  if (!text) return null;
  try {
    return PasskeyAssertion.parse(JSON.parse(text));
  } catch {
    throw new ApiError(401, "the passkey is not accepted", { code: "passkey_refused" });
  }
}

/** What the second step carries; null where the first one has to be repeated. */
export async function sealEntered(ctx: RequestScope, form: URLSearchParams, error: unknown): Promise<string | null> {
  if (!isAboutCode(error)) return null;
  const password = form.get("password") || (await openEntered(ctx, form));
  return password === ""
    ? null
    : seal(ctx.settings.ROOT_SECRET, rowOf(form), { password, expires_at: ctx.now + KEPT_MS });
}

/** A missing or wrong second factor, after a password that was right. */
export function isAboutCode(error: unknown): boolean {
  return error instanceof ApiError && ["totp_required", "totp_wrong", "passkey_refused"].includes(error.code ?? "");
}

async function openEntered(ctx: RequestScope, form: URLSearchParams): Promise<string> {
  const sealed = form.get("entered");
  if (!sealed) return "";
  const opened = await unseal(ctx.settings.ROOT_SECRET, rowOf(form), sealed).catch(() => null);
  const entered = Entered.safeParse(opened);
  return entered.success && entered.data.expires_at > ctx.now ? entered.data.password : "";
}

function rowOf(form: URLSearchParams): string {
  return `sign-in ${(form.get("email") ?? "").trim().toLowerCase()}`;
}
