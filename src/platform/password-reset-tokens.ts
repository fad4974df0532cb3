import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * What stands in the mail to somebody who forgot their password: the account, the link's end, and a proof that we made
 * it. Nothing is stored. The proof is bound to the password that is to be replaced, so the link is good for one use,
 * and for none once the password was changed in another way.
 */
export interface PasswordResetToken {
  user_id: string;
  expires_at: number;
}

const TOKEN = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(\d{1,15})\.([\w-]{43})$/;

/** `present` is the stored hash; null where the account has no password yet. */
export function mintPasswordLink(rootSecret: string, link: PasswordResetToken, present: string | null): string {
  return `${link.user_id}.${link.expires_at}.${macOf(rootSecret, link, present)}`;
}

/** What a link says of itself; whether it is true is for isPasswordLink to say. */
export function readPasswordLink(token: string): PasswordResetToken | undefined {
  const [, user_id, expires_at] = TOKEN.exec(token) ?? [];
  return user_id === undefined ? undefined : { user_id, expires_at: Number(expires_at) };
}

export function isPasswordLink(rootSecret: string, token: string, present: string | null): boolean {
  const link = readPasswordLink(token);
  if (!link) return false;
  return timingSafeEqual(Buffer.from(token), Buffer.from(mintPasswordLink(rootSecret, link, present)));
}

function macOf(rootSecret: string, { user_id, expires_at }: PasswordResetToken, present: string | null): string {
  const mac = createHmac("sha256", `password link ${rootSecret}`).update(
    JSON.stringify([user_id, expires_at, present]),
  );
  return mac.digest("base64url");
}
