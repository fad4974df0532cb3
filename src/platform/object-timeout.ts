import { unavailable } from "../contract/errors.ts";
import { SECOND_MS } from "../lib/durations.ts";
import { DeadlineError, withDeadline } from "../lib/with-deadline.ts";
import { isObjectUnavailable } from "./monitor-objects.ts";

/** How long a job waits for an object, which itself waits for at most a few queries of D1. */
export const OBJECT_TIMEOUT_MS = 20 * SECOND_MS;
/** How long a request waits, and its client with it. */
export const REQUEST_OBJECT_TIMEOUT_MS = 5 * SECOND_MS;

/** What an object answers to a request, which fails with 503 where the object is unreachable or silent. */
export async function answerInTime<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await withDeadline(call, REQUEST_OBJECT_TIMEOUT_MS);
  } catch (error) {
    if (!(error instanceof DeadlineError) && !isObjectUnavailable(error)) throw error;
    throw Object.assign(unavailable("the data of the monitor is not reachable now"), { cause: error });
  }
}
