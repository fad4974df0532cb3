import { sha256Hex } from "./credentials.ts";
import { type RootKey, rootKeysOf } from "./root-keys.ts";

/** Names the installation that sends a request, which refuses its own instead of looping; others may watch each other. */
export const HOP_HEADER = "X-Monitor-Hop";

/** Names this installation to others without naming its secret; the same in all of its Workers. */
export function installationId(rootSecret: string): string {
  return idUnder(rootKeysOf(rootSecret).current);
}

/** Also under the name that it had before its root key changed: Workers that still run have that one. */
export function isOwnInstallation(rootSecret: string, id: string): boolean {
  return rootKeysOf(rootSecret).all.some((key) => idUnder(key) === id);
}

function idUnder({ secret }: RootKey): string {
  return sha256Hex(`installation:${secret}`).slice(0, 16);
}
