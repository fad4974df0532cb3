import type { Clock } from "./clock.ts";
import { simulatedCrypto, simulatedNodeCrypto } from "./crypto.ts";
import type { Faults } from "./faults.ts";
import type { Random } from "./random.ts";

/** What the bundle of product.ts exports. */
export type Product = typeof import("./product.ts");

/** The bundle as a function of everything that it would find in its global scope and that the simulation replaces. */
export type Program = (scope: Record<string, unknown>) => Product;

export interface Surroundings {
  clock: Clock;
  random: Random;
  faults: Faults;
  fetch: (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>;
  connect: (address: { hostname: string; port: number }) => unknown;
  caches: unknown;
}

/** What an invocation of a dead isolate is answered: nothing, ever. One promise for all would keep all that wait for it. */
const never = () => new Promise<never>(() => {});

/** Cloudflare's own words for an object or a Worker that went away. */
export function lostConnection(): Error {
  return Object.assign(new Error("Network connection lost."), { retryable: true });
}

/**
 * One copy of the product in memory, with the module state that it gathers. When it dies, all that it has begun stops
 * at the call that it waits for, and its callers hear that the connection was lost.
 */
export class Isolate {
  readonly product: Product;
  readonly #clock: Clock;
  readonly #faults: Faults;
  readonly #dying = new Set<() => void>();
  readonly #deferred = new Set<Promise<unknown>>();
  isDead = false;

  constructor(program: Program, surroundings: Surroundings) {
    this.#clock = surroundings.clock;
    this.#faults = surroundings.faults;
    this.product = program(this.#scopeOf(surroundings));
  }

  die(): void {
    this.isDead = true;
    for (const end of [...this.#dying]) end();
    this.#dying.clear();
  }

  /**
   * A call that the product makes of the platform: begins after the way there and ends after the way back. On either way
   * the isolate may die.
   */
  async call<Result>(
    called: () => string,
    wayMs: readonly [there: number, back: number],
    work: () => Result | Promise<Result>,
  ): Promise<Result> {
    if (this.isDead) return never();
    if (this.#faults.happens("isolate dies", () => `before ${called()}`)) this.die();
    await this.#clock.sleep(wayMs[0]);
    if (this.isDead) return never();
    try {
      const result = await work();
      if (this.#faults.happens("isolate dies", () => `after ${called()}`)) this.die();
      await this.#clock.sleep(wayMs[1]);
      return this.isDead ? never() : result;
    } catch (error) {
      await this.#clock.sleep(wayMs[1]);
      if (this.isDead) return never();
      throw error;
    }
  }

  /** An invocation of the product: ends with its work, or when the isolate dies. */
  invoke<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const end = () => reject(lostConnection());
      if (this.isDead) return end();
      this.#dying.add(end);
      Promise.resolve()
        .then(work)
        .then(resolve, reject)
        .finally(() => this.#dying.delete(end));
    });
  }

  /** Work that goes on behind an answer; its faults are its own. */
  defer(work: Promise<unknown>): void {
    this.#deferred.add(work);
    work.catch(() => {}).finally(() => this.#deferred.delete(work));
  }

  #scopeOf({ clock, random, fetch, connect, caches }: Surroundings): Record<string, unknown> {
    const crypto = simulatedNodeCrypto(random);
    class DurableObject {
      readonly ctx: unknown;
      readonly env: unknown;
      constructor(ctx: unknown, env: unknown) {
        this.ctx = ctx;
        this.env = env;
      }
    }
    const modules: Record<string, unknown> = {
      "cloudflare:workers": { DurableObject, waitUntil: (work: Promise<unknown>) => this.defer(work) },
      "cloudflare:sockets": { connect },
      "node:crypto": crypto,
    };
    const timers = timersOf(clock, this);
    return {
      require: (name: string) => modules[name] ?? process.getBuiltinModule(name),
      Date: dateOf(clock),
      Math: Object.assign(Object.create(Math), { random: () => random.fraction() }),
      AbortSignal: abortSignalOf(clock),
      crypto: simulatedCrypto(random),
      scheduler: {
        wait: (ms: number) =>
          this.call(
            () => "wait",
            [ms, 0],
            () => {},
          ),
      },
      performance: { now: () => clock.now },
      fetch: (input: RequestInfo | URL, init?: RequestInit) =>
        this.call(
          () => "fetch",
          [0, 0],
          () => fetch(input, init),
        ),
      caches,
      // Pages and agents that are open are no part of the simulation.
      WebSocketRequestResponsePair: class {},
      ...timers,
    };
  }
}

function timersOf(clock: Clock, isolate: Isolate) {
  const timers = new Map<number, () => void>();
  let last = 0;
  const schedule = (
    run: (...args: unknown[]) => void,
    ms: number,
    args: unknown[],
    id: number,
    isRepeated: boolean,
  ) => {
    const cancel = clock.after(ms, () => {
      if (isolate.isDead) return;
      if (isRepeated) schedule(run, ms, args, id, true);
      else timers.delete(id);
      run(...args);
    });
    timers.set(id, cancel);
  };
  const set =
    (isRepeated: boolean) =>
    (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
      last += 1;
      schedule(run, ms, args, last, isRepeated);
      return last;
    };
  const clear = (id: number | undefined) => {
    timers.get(id ?? 0)?.();
    timers.delete(id ?? 0);
  };
  return { setTimeout: set(false), setInterval: set(true), clearTimeout: clear, clearInterval: clear };
}

function dateOf(clock: Clock): DateConstructor {
  const simulated = class extends Date {
    constructor(...args: unknown[]) {
      if (args.length === 0) super(clock.now);
      else super(...(args as [number]));
    }
    static override now(): number {
      return clock.now;
    }
    /** Dates that came from elsewhere are dates, too. */
    static override [Symbol.hasInstance](value: unknown): boolean {
      return value instanceof Date;
    }
  };
  return simulated as unknown as DateConstructor;
}

function abortSignalOf(clock: Clock): typeof AbortSignal {
  const timeout = (ms: number): AbortSignal => {
    const controller = new AbortController();
    clock.after(ms, () =>
      controller.abort(new DOMException("The operation was aborted due to timeout", "TimeoutError")),
    );
    return controller.signal;
  };
  return new Proxy(AbortSignal, {
    get: (target, name) => (name === "timeout" ? timeout : Reflect.get(target, name, target)),
  });
}
