import { findPushCredential } from "../../access/push-credentials.ts";
import type { Heartbeat } from "../../contract/push.ts";
import { answerDirectly, type Deferring } from "../../http/direct-answer.ts";
import type { Env } from "../../platform/env.ts";
import { HOP_HEADER } from "../../platform/installation.ts";
import type { PushCredential } from "../../platform/push-tokens.ts";
import { type Settings, settingsOf } from "../../platform/settings.ts";
import { acceptPush } from "../push/accept.ts";
import { presentBeat } from "../push/present-beat.ts";

/**
 * Heartbeats that say nothing else, as nearly all of them do. They are answered ahead of the router, and by what the start
 * of the Worker evaluates: mounting the other routes takes an isolate longer than a thousand heartbeats.
 */

/** What follows the address of the service: the monitor, and its token unless that is in a header. */
const PLAIN = /^\/heartbeat\/([0-9a-f-]{36})(?:\?token=(\w+))?$/;
const OK: Heartbeat = { status: "ok", message: null, duration_ms: null, exit_code: null, run_id: null };
const PLAIN_HEARTBEAT = { kind: "heartbeat", beat: OK } as const;

/** Its credential. Undefined for every other request, and where anything is wrong with it: those go through the router. */
export function findPlainHeartbeat(request: Request, settings: Settings): PushCredential | undefined {
  const { url } = request;
  const { PUBLIC_URL } = settings;
  if (PUBLIC_URL === "" || !url.startsWith(PUBLIC_URL)) return undefined;
  const [, monitorId, token] = PLAIN.exec(url.slice(PUBLIC_URL.length)) ?? [];
  if (monitorId === undefined) return undefined;
  const { method, headers } = request;
  if (method !== "GET" && (method !== "POST" || request.body !== null)) return undefined;
  if (headers.has(HOP_HEADER)) return undefined;
  const authorization = headers.get("authorization") ?? undefined;
  const credential = findPushCredential(settings, "beat", { authorization, token });
  return credential?.monitor_id === monitorId ? credential : undefined;
}

export function answerPlainHeartbeat(request: Request, env: Env, context: Deferring): Promise<Response> | undefined {
  const credential = findPlainHeartbeat(request, settingsOf(env));
  if (!credential) return undefined;
  return answerDirectly({
    request,
    env,
    context,
    route: "/heartbeat/:monitor_id",
    rateClass: "push",
    take: (scope) => acceptPush(scope, credential, PLAIN_HEARTBEAT),
    present: (taken) => presentBeat(credential.monitor_id, taken),
  });
}
