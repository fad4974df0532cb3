import { jobScope, openScope, shareScope } from "../access/scope.ts";
import { EventMessage } from "../contract/messages.ts";
import { consumeEvent } from "../events/consume.ts";
import { Turns } from "../lib/turns.ts";
import { countQueries } from "../platform/counted-queries.ts";
import type { Env } from "../platform/env.ts";
import { handleMessages } from "./messages.ts";

/** No transition begins when so many queries have run: what is under way then has the other half of what D1 allows. */
const QUERIES_MAX = 500;

/**
 * Messages of one batch read and commit together, and equal ones are handled once; one that failed before is handled
 * alone, regardless of the error.
 */
export async function handleEvents(batch: MessageBatch, env: Env): Promise<void> {
  const { database, queries } = countQueries(env.DB);
  const own = openScope({ ...jobScope(env, "events"), database });
  const shared = batch.messages.length > 1 ? shareScope(own, database) : own;
  const together = { turns: new Turns(), hasRoom: () => queries() < QUERIES_MAX };
  const handled = new Map<string, Promise<void>>();
  await handleMessages(own, batch, EventMessage, (message, isRepeated) => {
    if (isRepeated) return consumeEvent(own, message, together);
    const key = JSON.stringify(message);
    const handling = handled.get(key) ?? consumeEvent(shared, message, together);
    handled.set(key, handling);
    return handling;
  });
}
