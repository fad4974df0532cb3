import type { Clock } from "./clock.ts";
import type { Faults } from "./faults.ts";
import type { Isolate } from "./isolate.ts";
import type { Random } from "./random.ts";

/** https://developers.cloudflare.com/kv/concepts/how-kv-works/: a change may take this long to be seen elsewhere. */
const STALE_MS = 60_000;

interface Version {
  at: number;
  text: string | null;
  metadata: unknown;
}

interface Parts {
  clock: Clock;
  random: Random;
  faults: Faults;
}

/** Workers KV: a read may give what was true a minute ago. */
export class Store {
  readonly #parts: Parts;
  readonly #versions = new Map<string, Version[]>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  binding(caller: Isolate) {
    const { random, faults } = this.#parts;
    const call = <Result>(work: () => Result) =>
      caller.call(
        () => "store",
        [random.between(1, 20), random.between(0, 5)],
        () => {
          if (faults.happens("store fails")) throw new Error("KV GET failed: 500 Internal Server Error");
          return work();
        },
      );
    const write = (key: string, text: string | null, metadata: unknown) => call(() => this.#write(key, text, metadata));
    return {
      get: (key: string, type?: string) => call(() => contentOf(this.#read(key), type)),
      getWithMetadata: (key: string, type?: string) =>
        call(() => {
          const found = this.#read(key);
          return { value: contentOf(found, type), metadata: found?.metadata ?? null };
        }),
      put: (key: string, text: string, { metadata = null }: { metadata?: unknown } = {}) => write(key, text, metadata),
      delete: (key: string) => write(key, null, null),
    };
  }

  #read(key: string): Version | undefined {
    const { clock, random, faults } = this.#parts;
    const seenAt = clock.now - (faults.happens("store is stale") ? random.between(0, STALE_MS) : 0);
    return this.#versions.get(key)?.findLast(({ at }) => at <= seenAt);
  }

  #write(key: string, text: string | null, metadata: unknown): void {
    const at = this.#parts.clock.now;
    const before = this.#versions.get(key) ?? [];
    const seen = before.findLastIndex((version) => version.at <= at - STALE_MS);
    this.#versions.set(key, [...before.slice(Math.max(0, seen)), { at, text, metadata }]);
  }
}

function contentOf(version: Version | undefined, type: string | undefined): unknown {
  const text = version?.text ?? null;
  return text !== null && type === "json" ? JSON.parse(text) : text;
}
