import type { RateClass } from "../contract/limiter-object.ts";
import { now } from "../platform/clock.ts";
import type { Logger } from "../platform/logger.ts";
import type { Settings } from "../platform/settings.ts";
import { countUnits } from "../platform/usage.ts";

export interface AnsweredRequest {
  method: string;
  route: string;
  status: number;
  started: number;
  requestId: string;
  settings: Settings;
  log: Logger;
  /** What the request was counted as; absent where nothing is counted. */
  rateClass: RateClass | undefined;
  user_id?: string | undefined;
}

/** One log line and one count for each answer. */
export function recordResponse(answered: AnsweredRequest): void {
  const { method, route, status, started, log, user_id } = answered;
  countUnits({ responses: 1, server_errors: status >= 500 ? 1 : 0 });
  const fields = { method, route, status, ms: now() - started, user_id };
  if (isLogged(answered)) log.info("request", fields);
  else log.debug("request", fields);
}

/** The platform bills every line: what comes in masses is left out where it succeeds, failures are always logged. */
function isLogged({ status, rateClass, requestId, settings }: AnsweredRequest): boolean {
  if (status >= 500) return true;
  if (rateClass === undefined || rateClass === "push" || rateClass === "agent") return status >= 400;
  // The end of an id is random.
  const drawn = Number.parseInt(requestId.slice(-8), 16) / 2 ** 32;
  return status >= 400 || drawn < settings.LOG_SAMPLE_RATE;
}
