import { findPushCredential } from "../../access/push-credentials.ts";
import { HOP_HEADER } from "../../platform/egress/guard.ts";
import type { PushCredential } from "../../platform/push-tokens.ts";
import type { Settings } from "../../platform/settings.ts";
import { toHeartbeat } from "./heartbeat-input.ts";
import { presentBeat } from "./present.ts";
import { acceptPush, type PushScope } from "./service.ts";

/** What follows the address of the service: the monitor, and its token unless that is in a header. */
const PLAIN = /^\/heartbeat\/([0-9a-f-]{36})(?:\?token=(\w+))?$/;
const PLAIN_HEARTBEAT = toHeartbeat({});

/**
 * The credential of a heartbeat that says nothing else, as nearly all of them do. Undefined for every other request, and
 * where anything is wrong with it: those go through the router.
 */
export function findPlainHeartbeat(request: Request, settings: Settings): PushCredential | undefined {
  const { url } = request;
  const { PUBLIC_URL } = settings;
  if (PUBLIC_URL === "" || !url.startsWith(PUBLIC_URL)) return undefined;
  const [, monitorId, token] = PLAIN.exec(url.slice(PUBLIC_URL.length)) ?? [];
  if (monitorId === undefined) return undefined;
  const { method, headers } = request;
  if ((method !== "GET" && method !== "POST") || request.body !== null || headers.has(HOP_HEADER)) return undefined;
  const authorization = headers.get("authorization") ?? undefined;
  const credential = findPushCredential(settings, "beat", { authorization, token });
  return credential?.monitor_id === monitorId ? credential : undefined;
}

export async function acceptPlainHeartbeat(scope: PushScope, credential: PushCredential) {
  const taken = await acceptPush(scope, credential, { kind: "heartbeat", beat: PLAIN_HEARTBEAT });
  return presentBeat(credential.monitor_id, taken);
}
