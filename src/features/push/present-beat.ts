import type { z } from "zod";
import type { HeartbeatAccepted } from "../../contract/push.ts";
import { toIso, toIsoOrNull } from "../../platform/clock.ts";
import type { AcceptedPush } from "./follow-up.ts";

export function presentBeat(
  monitor_id: string,
  { status, received_at, next_expected_at }: AcceptedPush,
): z.infer<typeof HeartbeatAccepted> {
  return {
    ok: true,
    monitor_id,
    status,
    received_at: toIso(received_at),
    next_expected_at: toIsoOrNull(next_expected_at),
  };
}
