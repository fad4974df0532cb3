import type { ResultStatus } from "../contract/agent.ts";
import type { CheckOutcome, CheckStatus } from "../contract/check.ts";

export const OUTCOME_OF_STATUS: Record<ResultStatus, CheckOutcome> = {
  up: "success",
  degraded: "slow",
  down: "failure",
};

export const STATUS_OF_OUTCOME: Record<CheckOutcome, CheckStatus> = {
  success: "up",
  slow: "degraded",
  failure: "down",
  error: "unknown",
};
