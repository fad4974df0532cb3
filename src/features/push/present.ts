import type { z } from "zod";
import type { BeatAccepted, PushAccepted } from "../../contract/push.ts";
import { toIso, toIsoOrNull } from "../../platform/clock.ts";
import type { Taken } from "./service.ts";

export function presentPush(monitorId: string, { status, received_at }: Taken): z.infer<typeof PushAccepted> {
  return { ok: true, monitor_id: monitorId, status, received_at: toIso(received_at) };
}

export function presentBeat(monitorId: string, taken: Taken): z.infer<typeof BeatAccepted> {
  return { ...presentPush(monitorId, taken), next_expected_at: toIsoOrNull(taken.next_expected_at) };
}
