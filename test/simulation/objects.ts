import type { Cancel, Clock } from "./clock.ts";
import type { Faults } from "./faults.ts";
import { type Isolate, lostConnection, type Product } from "./isolate.ts";
import { ObjectStorage } from "./object-storage.ts";
import type { Random } from "./random.ts";

/** Bindings of objects, and the class that each is of (wrangler.toml). */
export const OBJECT_CLASSES = {
  MONITOR: "MonitorObject",
  PROBER: "ProberObject",
  LIMITER: "LimiterObject",
  PAGE: "PageObject",
  AGENT: "AgentObject",
  WITNESS: "WitnessObject",
  METER: "MeterObject",
} as const satisfies Record<string, keyof Product>;
export type ObjectBinding = keyof typeof OBJECT_CLASSES;

/** https://developers.cloudflare.com/durable-objects/api/alarms/: six repeats, two seconds and then twice as long. */
const ALARM_REPEATS = 6;
const ALARM_REPEAT_MS = 2_000;
const ALARM_LATE_MS = 60_000;
const HANGS_MS = 10 * 60_000;

export interface ObjectParts {
  clock: Clock;
  random: Random;
  faults: Faults;
  /** An isolate that lives, and the bindings of the product in it. */
  place: () => { isolate: Isolate; env: unknown };
}

/** All objects, each of which is one at a time. */
export class Objects {
  readonly #parts: ObjectParts;
  readonly #objects = new Map<string, SimulatedObject>();

  constructor(parts: ObjectParts) {
    this.#parts = parts;
  }

  /** The namespaces as one isolate calls them. */
  bindings(caller: Isolate): Record<ObjectBinding, unknown> {
    const names = Object.keys(OBJECT_CLASSES) as ObjectBinding[];
    return Object.fromEntries(names.map((name) => [name, this.#namespace(name, caller)])) as Record<
      ObjectBinding,
      unknown
    >;
  }

  find(binding: ObjectBinding, name: string): SimulatedObject {
    const key = `${binding}/${name}`;
    const known = this.#objects.get(key);
    if (known) return known;
    const created = new SimulatedObject(this.#parts, binding, name);
    this.#objects.set(key, created);
    return created;
  }

  #namespace(binding: ObjectBinding, caller: Isolate) {
    return {
      getByName: (name: string) =>
        new Proxy(
          {},
          {
            // A stub is no promise.
            get: (_stub, method) =>
              typeof method === "symbol" || method === "then"
                ? undefined
                : (...args: unknown[]) => this.#call(caller, this.find(binding, name), method, args),
          },
        ),
    };
  }

  #call(caller: Isolate, called: SimulatedObject, method: string, args: readonly unknown[]): Promise<unknown> {
    const { clock, random, faults } = this.#parts;
    const sent = method === "fetch" ? args : structuredClone(args);
    const name = () => `${called.binding}.${method}`;
    return caller.call(name, [random.between(1, 10), random.between(0, 5)], async () => {
      if (faults.happens("object call fails before", name)) throw lostConnection();
      if (faults.happens("object call hangs", name)) {
        await clock.sleep(HANGS_MS);
        throw lostConnection();
      }
      const result = await called.invoke(method, sent);
      if (faults.happens("object call fails after", name)) throw lostConnection();
      return method === "fetch" ? result : structuredClone(result);
    });
  }
}

type Instance = Record<string, (...args: readonly unknown[]) => unknown>;

interface Memory {
  isolate: Isolate;
  instance: Instance;
  /** Settled once nothing keeps other events waiting. */
  gate: Promise<unknown>;
}

class SimulatedObject {
  readonly #parts: ObjectParts;
  readonly binding: ObjectBinding;
  readonly #name: string;
  readonly #storage = new ObjectStorage();
  #memory: Memory | null = null;
  #running = 0;
  #cancelAlarm: Cancel = () => {};

  constructor(parts: ObjectParts, binding: ObjectBinding, name: string) {
    this.#parts = parts;
    this.binding = binding;
    this.#name = name;
    this.#storage.onAlarm = () => this.#scheduleAlarm();
  }

  async invoke(method: string, args: readonly unknown[]): Promise<unknown> {
    const memory = this.#load();
    this.#running += 1;
    try {
      return await memory.isolate.invoke(async () => {
        await memory.gate;
        const handler = memory.instance[method];
        if (!handler) throw new TypeError(`the object has no method ${method}`);
        return handler.apply(memory.instance, [...args]);
      });
    } finally {
      this.#running -= 1;
    }
  }

  /** The object in memory: another one after its isolate died or it was evicted. */
  #load(): Memory {
    const isIdle = this.#running === 0;
    if (isIdle && this.#parts.faults.happens("object evicted")) this.#memory = null;
    if (this.#memory && !this.#memory.isolate.isDead) return this.#memory;
    const { isolate, env } = this.#parts.place();
    const memory: Memory = { isolate, instance: {}, gate: Promise.resolve() };
    const ObjectClass = isolate.product[OBJECT_CLASSES[this.binding]] as unknown as new (
      ctx: unknown,
      env: unknown,
    ) => Instance;
    memory.instance = new ObjectClass(this.#contextOf(memory), env);
    this.#memory = memory;
    return memory;
  }

  #contextOf(memory: Memory) {
    return {
      id: { name: this.#name, toString: () => this.#name },
      storage: this.#storage.binding,
      waitUntil: (work: Promise<unknown>) => memory.isolate.defer(work),
      blockConcurrencyWhile: (work: () => Promise<unknown>) => {
        const blocking = memory.gate.then(work);
        memory.gate = blocking.catch(() => {
          // The runtime resets an object whose blocking work failed.
          if (this.#memory === memory) this.#memory = null;
        });
        return blocking;
      },
      setWebSocketAutoResponse: () => {},
      getWebSockets: () => [],
    };
  }

  #scheduleAlarm(): void {
    this.#cancelAlarm();
    const { alarmAt } = this.#storage;
    if (alarmAt === null) return;
    const { clock, random, faults } = this.#parts;
    const late = faults.happens("alarm late") ? random.between(1_000, ALARM_LATE_MS) : random.between(0, 20);
    this.#cancelAlarm = clock.at(alarmAt + late, () => void this.#fire(alarmAt, 0));
  }

  /** The alarm is over once its handler has ended well, or has failed too often; one that it sets itself takes its place. */
  async #fire(alarmAt: number, repeats: number): Promise<void> {
    const { clock, random, faults } = this.#parts;
    this.#storage.alarmAt = null;
    const isReplaced = () => this.#storage.alarmAt !== null;
    const again = (after: number, count: number) => {
      this.#cancelAlarm = clock.after(after, () => void this.#fire(alarmAt, count));
    };
    try {
      await this.invoke("alarm", []);
      if (!isReplaced() && faults.happens("alarm repeated")) again(random.between(10, 10_000), ALARM_REPEATS);
    } catch {
      if (!isReplaced() && repeats < ALARM_REPEATS) again(ALARM_REPEAT_MS * 2 ** repeats, repeats + 1);
    }
  }
}
