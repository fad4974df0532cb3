import { createMessageBatch } from "cloudflare:test";
import { handleMinuteParts, runMinute } from "../../src/jobs/minute.ts";
import { recordingEnv } from "./queues.ts";

/** One tick with all of its parts, in order; the recording holds what they sent. */
export async function tick(at: number, changes: Parameters<typeof recordingEnv>[0] = {}) {
  const recording = recordingEnv(changes);
  await runMinute({ scheduledTime: at, cron: "* * * * *", noRetry() {} }, recording.env);
  for (const [n, { body }] of recording.minute.entries()) {
    const message = { id: String(n), timestamp: new Date(at), attempts: 1, body };
    await handleMinuteParts(createMessageBatch("minute", [message]), recording.env);
  }
  return recording;
}
