import { jobScope, type Scope } from "../../src/access/scope.ts";
import type { MonitorTransition } from "../../src/contract/monitor-transition.ts";
import { processDeliveries } from "../../src/delivery/process-deliveries.ts";
import { sendSubscriberBatch } from "../../src/delivery/subscriber-messages.ts";
import { consumeEvent } from "../../src/events/consume.ts";
import type { recordingEnv, Sent } from "./queues.ts";

type Recording = ReturnType<typeof recordingEnv>;

/** How long outages last. */
const OUTAGE_MS = 5 * 60_000;

/** A transition as the object of a monitor reports it. Odd numbers are outages, each ended by the next one. */
export function transitionOf(seq: number, at: number, message = "HTTP 500"): MonitorTransition {
  const to = seq % 2 === 1 ? "down" : "up";
  return {
    seq,
    from: to === "up" ? "down" : "up",
    to,
    at,
    effective_at: at,
    message,
    latency_ms: 12,
    region: "default",
    outage: { seq: to === "down" ? seq : seq - 1, started_at: to === "down" ? at : at - OUTAGE_MS },
    event: `monitor.${to}`,
  };
}

/** The queues of events, deliveries and subscribers, whose messages are handled as they fall due. */
export function playQueues(recording: Recording) {
  const handled = { events: 0, deliveries: 0, subscribers: 0 };
  const due: { at: number; handle: (scope: Scope) => Promise<void> }[] = [];
  const collectFrom = <Body>(sent: Sent<Body>[], now: number, handle: (scope: Scope, body: Body) => Promise<void>) => {
    for (const { body, delaySeconds = 0 } of sent.splice(0)) {
      due.push({ at: now + delaySeconds * 1000, handle: (scope) => handle(scope, body) });
    }
  };
  const collect = (now: number) => {
    collectFrom(recording.events, now, (scope, message) => {
      handled.events += 1;
      return consumeEvent(scope, message);
    });
    collectFrom(recording.deliveries, now, (scope, { delivery_id }) => {
      handled.deliveries += 1;
      return attemptDelivery(scope, delivery_id);
    });
    collectFrom(recording.subscribers, now, (scope, message) => {
      handled.subscribers += 1;
      return sendSubscriberBatch(scope, message);
    });
    due.sort((one, other) => one.at - other.at);
  };
  return {
    /** Messages that consumers had so far. */
    handled,
    /** Hands the consumer one transition at its instant. */
    async report(monitorId: string, transition: MonitorTransition): Promise<void> {
      handled.events += 1;
      await consumeEvent(scopeAt(recording, transition.at), {
        kind: "transitions",
        monitor_id: monitorId,
        transitions: [transition],
      });
      collect(transition.at);
    },
    /** Handles what falls due until then, else until nothing is left; returns when the last message was handled. */
    async drain(from: number, until = Number.POSITIVE_INFINITY): Promise<number> {
      let now = from;
      collect(now);
      while (due[0] && due[0].at <= until) {
        const { at, handle } = due.shift() ?? due[0];
        now = Math.max(now, at);
        await handle(scopeAt(recording, now));
        collect(now);
      }
      return now;
    },
    /** Loses what waits. */
    lose(): void {
      collect(0);
      due.length = 0;
    },
  };
}

/** With all of its attempt, however long that takes. */
async function attemptDelivery(scope: Scope, id: string): Promise<void> {
  await processDeliveries(scope, [id], { lane: "slow", defer: null });
}

function scopeAt(recording: Recording, now: number) {
  return { ...jobScope(recording.env, "test"), now };
}
