import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "./clock.ts";
import type { Faults } from "./faults.ts";
import type { Isolate } from "./isolate.ts";
import type { Random } from "./random.ts";

interface Consumer {
  max_batch_size: number;
  max_batch_timeout: number;
  /** Absent of queues whose messages nobody gives up. */
  max_retries: number;
  dead_letter_queue: string | null;
}

interface Waiting {
  id: string;
  body: unknown;
  sentAt: number;
  /** Deliveries so far. */
  attempts: number;
}

interface Sent {
  body: unknown;
  delaySeconds?: number;
}

export interface QueueParts {
  clock: Clock;
  random: Random;
  faults: Faults;
  /** Hands a batch to the product: settles once its handler has, or when its isolate died. */
  deliver: (batch: unknown) => Promise<unknown>;
}

/** https://developers.cloudflare.com/queues/platform/limits/ */
const DELAY_MAX_S = 12 * 3_600;
const RETRIES_BY_DEFAULT = 3;
const LATE_MS = 90_000;
const REPEATED_WITHIN_MS = 10 * 60_000;

const CONFIGURATION = readFileSync(join(import.meta.dirname, "../../wrangler.toml"), "utf8");

/** The queues of wrangler.toml: they deliver at least once, in no order, and give a message up after its retries. */
export class Queues {
  readonly #parts: QueueParts;
  readonly #queues = new Map<string, SimulatedQueue>();
  readonly #names = new Map<string, string>();

  constructor(parts: QueueParts) {
    this.#parts = parts;
    const find = (name: string) => this.#queues.get(name);
    for (const row of CONFIGURATION.matchAll(/\{ queue = "([^"]+)", max_batch_size[^}]*\}/g)) {
      this.#queues.set(row[1] ?? "", new SimulatedQueue(row[1] ?? "", toConsumer(row[0]), parts, find));
    }
    for (const [, binding = "", queue = ""] of CONFIGURATION.matchAll(
      /\{ binding = "([^"]+)", queue = "([^"]+)" \}/g,
    )) {
      this.#names.set(binding, queue);
    }
  }

  /** Messages that wait or are being handled, by queue. */
  depths(): Record<string, number> {
    return Object.fromEntries([...this.#queues].map(([name, { depth }]) => [name, depth]));
  }

  /** The producers as one isolate calls them. */
  bindings(caller: Isolate): Record<string, unknown> {
    return Object.fromEntries([...this.#names].map(([binding, name]) => [binding, this.#producer(name, caller)]));
  }

  #producer(name: string, caller: Isolate) {
    const { random, faults } = this.#parts;
    const called = () => `queue ${name}`;
    const send = (messages: readonly Sent[]) =>
      caller.call(called, [random.between(1, 10), random.between(0, 5)], () => {
        if (faults.happens("message refused", called)) throw new Error("Queue send failed: internal error");
        for (const message of messages) this.#queues.get(name)?.add(message);
      });
    return {
      send: (body: unknown, { delaySeconds = 0 } = {}) => send([{ body: structuredClone(body), delaySeconds }]),
      sendBatch: (messages: Iterable<Sent>) => send([...messages].map((each) => structuredClone(each))),
    };
  }
}

class SimulatedQueue {
  readonly #name: string;
  readonly #consumer: Consumer;
  readonly #parts: QueueParts;
  readonly #find: (name: string) => SimulatedQueue | undefined;
  #ready: Waiting[] = [];
  #isFlushing = false;
  #sent = 0;
  depth = 0;

  constructor(name: string, consumer: Consumer, parts: QueueParts, find: (name: string) => SimulatedQueue | undefined) {
    this.#name = name;
    this.#consumer = consumer;
    this.#parts = parts;
    this.#find = find;
  }

  add({ body, delaySeconds = 0 }: Sent): void {
    if (delaySeconds > DELAY_MAX_S) throw new Error("Queue send failed: delaySeconds is too large");
    this.#sent += 1;
    const sentAt = this.#parts.clock.now;
    this.depth += 1;
    this.#release({ id: `${this.#name}-${this.#sent}`, body, sentAt, attempts: 0 }, delaySeconds * 1_000);
  }

  #release(message: Waiting, delayMs: number): void {
    const { clock, random, faults } = this.#parts;
    const late = faults.happens("message late") ? random.between(100, LATE_MS) : random.between(0, 50);
    clock.after(delayMs + late, () => {
      this.#ready.push(message);
      this.#flush();
    });
  }

  #flush(): void {
    const { clock } = this.#parts;
    const { max_batch_size, max_batch_timeout } = this.#consumer;
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    clock.after(this.#ready.length >= max_batch_size ? 0 : max_batch_timeout * 1_000, () => {
      this.#isFlushing = false;
      while (this.#ready.length > 0) void this.#deliver(this.#ready.splice(0, max_batch_size));
    });
  }

  async #deliver(messages: readonly Waiting[]): Promise<void> {
    const { clock, random, faults, deliver } = this.#parts;
    const settled = new Map<string, { isDone: boolean; delayMs: number }>();
    const handles = messages.map((message) => {
      const settle = (isDone: boolean, delaySeconds = 0) => {
        if (!settled.has(message.id)) settled.set(message.id, { isDone, delayMs: delaySeconds * 1_000 });
      };
      message.attempts += 1;
      return {
        id: message.id,
        timestamp: new Date(message.sentAt),
        body: structuredClone(message.body),
        attempts: message.attempts,
        ack: () => settle(true),
        retry: ({ delaySeconds = 0 } = {}) => settle(false, delaySeconds),
      };
    });
    let isWhole = true;
    try {
      await deliver({
        queue: this.#name,
        messages: handles,
      });
    } catch {
      // What the handler has settled counts when it ends well.
      isWhole = false;
    }
    for (const message of messages) {
      const { isDone = true, delayMs = 0 } = (isWhole && settled.get(message.id)) || { isDone: isWhole };
      if (!isDone) this.#again(message, delayMs);
      else if (faults.happens("message repeated")) {
        clock.after(random.between(0, REPEATED_WITHIN_MS), () => this.#release({ ...message }, 0));
      } else this.depth -= 1;
    }
  }

  #again(message: Waiting, delayMs: number): void {
    const { max_retries, dead_letter_queue } = this.#consumer;
    if (message.attempts <= max_retries) this.#release(message, delayMs);
    else {
      this.depth -= 1;
      if (dead_letter_queue !== null) this.#find(dead_letter_queue)?.add({ body: message.body });
    }
  }
}

function toConsumer(row: string): Consumer {
  const numberOf = (name: string) => Number(new RegExp(`${name} = (\\d+)`).exec(row)?.[1] ?? Number.NaN);
  const retries = numberOf("max_retries");
  return {
    max_batch_size: numberOf("max_batch_size"),
    max_batch_timeout: numberOf("max_batch_timeout"),
    max_retries: Number.isNaN(retries) ? RETRIES_BY_DEFAULT : retries,
    dead_letter_queue: /dead_letter_queue = "([^"]+)"/.exec(row)?.[1] ?? null,
  };
}
