import { sha256Hex } from "./credentials.ts";

/** Names this installation to others without naming its secret; the same in all of its Workers. */
export function installationId(rootSecret: string): string {
  return sha256Hex(`installation:${rootSecret}`).slice(0, 16);
}
