import { createMessageBatch } from "cloudflare:test";
import { jobScope } from "../../src/access/scope.ts";
import { reconcileUnsyncedMonitors } from "../../src/checks/reconcile.ts";
import { markStaleGroups, sweepLostRetries } from "../../src/checks/stale.ts";
import { checkGroups } from "../../src/data/monitors/table.ts";
import { handleMinuteParts, runMinute } from "../../src/jobs/minute.ts";
import type { Env } from "../../src/platform/env.ts";
import { limitDatabase } from "./limited-database.ts";
import { recordingEnv } from "./queues.ts";

/**
 * One tick with all of its parts and their portions, in order, each an invocation within the limits that Cloudflare has
 * for D1; the recording holds what they sent.
 */
export async function tick(at: number, changes: Parameters<typeof recordingEnv>[0] = {}) {
  const recording = recordingEnv(changes);
  const invocation = () => ({ ...recording.env, DB: limitDatabase(recording.env.DB).database });
  await runMinute({ scheduledTime: at, cron: "* * * * *", noRetry() {} }, invocation());
  for (const [n, { body }] of recording.minute.entries()) {
    const message = { id: String(n), timestamp: new Date(at), attempts: 1, body };
    await handleMinuteParts(createMessageBatch("minute", [message]), invocation());
  }
  return recording;
}

/** The parts of a minute that find what was lost of checks; no slot is planned. */
export async function sweepChecks(bindings: Env): Promise<void> {
  const scope = jobScope(bindings, "test");
  await reconcileUnsyncedMonitors(scope);
  await sweepLostRetries(scope);
  const groups = await scope.db.select({ id: checkGroups.id }).from(checkGroups);
  await markStaleGroups(
    scope,
    groups.map(({ id }) => id),
  );
}
