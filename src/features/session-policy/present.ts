import type { z } from "zod";
import type { SessionPolicy } from "../../contract/session-policy.ts";
import { MINUTE_MS } from "../../lib/durations.ts";
import { toIsoOrNull } from "../../platform/clock.ts";
import type { ShownPolicy } from "./service.ts";

export function presentPolicy(policy: ShownPolicy): z.infer<typeof SessionPolicy> {
  return {
    session_minutes: policy.session_ms / MINUTE_MS,
    session_idle_minutes: policy.session_idle_ms / MINUTE_MS,
    second_factor: policy.second_factor,
    second_factor_from: toIsoOrNull(policy.second_factor_from),
    allowed_networks: policy.allowed_networks && [...policy.allowed_networks],
    set_by_environment: policy.set_by_environment,
  };
}
