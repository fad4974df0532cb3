import { unauthenticated } from "../contract/errors.ts";
import { type PushCredential, type PushPurpose, readPushToken } from "../platform/push-tokens.ts";
import type { Settings } from "../platform/settings.ts";
import type { PushPrincipal } from "./principal.ts";

interface PresentedCredential {
  authorization: string | undefined;
  /** From the query, for clients that cannot set headers. */
  token: string | undefined;
}

/** The bearer of a push credential; touches no storage. */
export function authenticatePusher(
  settings: Settings,
  purpose: PushPurpose,
  presented: PresentedCredential,
): PushPrincipal {
  const credential = findPushCredential(settings, purpose, presented);
  if (!credential) throw unauthenticated();
  return { kind: "push", ...credential };
}

export function findPushCredential(
  settings: Settings,
  purpose: PushPurpose,
  { authorization, token }: PresentedCredential,
): PushCredential | undefined {
  const bearer = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
  const read = (presented: string | undefined) => readPushToken(settings.ROOT_SECRET, purpose, presented ?? "");
  // A proxy, or a client with a credential for everything, may add a bearer of its own.
  return read(bearer) ?? read(token);
}
