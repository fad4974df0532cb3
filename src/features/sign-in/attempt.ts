import { z } from "zod";
import type { RequestScope } from "../../access/scope.ts";
import { cookieOf, prefixOf, serializeCookie } from "../../access/sessions.ts";
import { MINUTE_MS } from "../../lib/durations.ts";
import { seal, unseal } from "../../platform/seal.ts";

/** Within it a sign-in that began comes back from the provider, and is confirmed. */
const VALID_MS = 10 * MINUTE_MS;
/** Browsers drop cookies above 4096 bytes. */
const NEXT_LENGTH_MAX = 1000;
const COOKIE = "vigil_sign_in";

const Attempt = z.object({
  provider_id: z.string(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  next: z.string().nullable(),
  /** The account that a sign-in is to be linked to; null for signing in. */
  link_to: z.string().nullable(),
  begun_at: z.number(),
});
export type Attempt = z.infer<typeof Attempt>;

/** The cookie binds what the provider answers to this browser, so that nobody is signed in by a link of somebody else. */
export async function keepAttempt(ctx: RequestScope, attempt: Attempt): Promise<string> {
  const next = attempt.next && attempt.next.length <= NEXT_LENGTH_MAX ? attempt.next : null;
  const value = await seal(ctx.settings.ROOT_SECRET, "sign-in attempt", { ...attempt, next });
  return serializeCookie(ctx.publicUrl, { name: cookieName(ctx), value, max_age: VALID_MS / 1000 });
}

/** Null where this browser began nothing with the provider, or too long ago. */
export async function readAttempt(ctx: RequestScope, request: Request, providerId: string): Promise<Attempt | null> {
  const sealed = cookieOf(request, cookieName(ctx));
  const attempt = Attempt.safeParse(await open(ctx, "sign-in attempt", sealed)).data;
  return attempt?.provider_id === providerId && isFresh(ctx, attempt) ? attempt : null;
}

export function endAttempt({ publicUrl }: RequestScope): string {
  return serializeCookie(publicUrl, { name: cookieName({ publicUrl }), value: "", max_age: 0 });
}

/** Who the provider said the browser's user is, while they confirm it with what their account asks for. */
const Proof = z.object({
  provider_id: z.string(),
  issuer: z.string(),
  subject: z.string(),
  email: z.string().nullable(),
  /** Those that give a role somewhere. */
  groups: z.array(z.string()),
  session: z.object({
    sid: z.string().nullable(),
    id_token: z.string().nullable(),
    refresh_token: z.string().nullable(),
  }),
  next: z.string().nullable(),
  /** The account that the proof may be used for. */
  user_id: z.string(),
  begun_at: z.number(),
});
export type Proof = z.infer<typeof Proof>;

export function sealProof(ctx: RequestScope, proof: Proof): Promise<string> {
  return seal(ctx.settings.ROOT_SECRET, "sign-in proof", proof);
}

export async function openProof(ctx: RequestScope, sealed: string | null): Promise<Proof | null> {
  const proof = Proof.safeParse(await open(ctx, "sign-in proof", sealed ?? undefined)).data;
  return proof && isFresh(ctx, proof) ? proof : null;
}

function open(ctx: RequestScope, purpose: string, sealed: string | undefined): Promise<unknown> {
  if (sealed === undefined) return Promise.resolve(null);
  return unseal(ctx.settings.ROOT_SECRET, purpose, sealed).catch(() => null);
}

function isFresh({ now }: RequestScope, { begun_at }: { begun_at: number }): boolean {
  return now - begun_at < VALID_MS;
}

const cookieName = ({ publicUrl }: Pick<RequestScope, "publicUrl">) => `${prefixOf(publicUrl)}${COOKIE}`;
