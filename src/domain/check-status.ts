import type { CheckOutcome, CheckStatus } from "../contract/check.ts";

export const STATUS_OF_OUTCOME: Record<CheckOutcome, CheckStatus> = {
  success: "up",
  slow: "degraded",
  failure: "down",
  error: "unknown",
};
