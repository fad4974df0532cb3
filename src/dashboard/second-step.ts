import { z } from "zod";
import type { RequestScope } from "../access/scope.ts";
import { ApiError } from "../contract/errors.ts";
import { Login } from "../contract/session.ts";
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

/** Signs in with the fields of either step. */
export async function signInByForm(ctx: RequestScope, form: URLSearchParams) {
  const fields = new URLSearchParams(form);
  if (!fields.get("password")) fields.set("password", await openEntered(ctx, form));
  return signIn(ctx, parseFields(Login, fields, ["email", "password", "code"]));
}

/** What the second step carries; null where the first one has to be repeated. */
export async function sealEntered(ctx: RequestScope, form: URLSearchParams, error: unknown): Promise<string | null> {
  if (!isAboutCode(error)) return null;
  const password = form.get("password") || (await openEntered(ctx, form));
  return password === ""
    ? null
    : seal(ctx.settings.ROOT_SECRET, rowOf(form), { password, expires_at: ctx.now + KEPT_MS });
}

/** A missing or wrong code, after a password that was right. */
export function isAboutCode(error: unknown): boolean {
  return error instanceof ApiError && (error.code === "totp_required" || error.code === "totp_wrong");
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
