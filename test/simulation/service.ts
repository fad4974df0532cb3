import { Clock } from "./clock.ts";
import { Database, databaseBinding } from "./database.ts";
import { Faults } from "./faults.ts";
import { Isolate, type Program } from "./isolate.ts";
import { Network } from "./network.ts";
import { Objects } from "./objects.ts";
import { Queues } from "./queues.ts";
import { Random } from "./random.ts";
import { Store } from "./store.ts";

export const PUBLIC_URL = "https://status.example";
const ISOLATES = 3;
const MINUTE_MS = 60_000;
const TICK_LATE_MS = 50_000;
/** Monday, 5 January 2026. */
const STARTS_AT = Date.UTC(2026, 0, 5);

interface Asking {
  token?: string;
  agent?: { token: string; asn: number };
  body?: unknown;
}

/** The whole service on one simulated platform: what a seed decides is decided here, in one order. */
export class Service {
  readonly clock = new Clock(STARTS_AT);
  readonly random: Random;
  readonly faults: Faults;
  readonly database = new Database();
  readonly network: Network;
  readonly queues: Queues;
  readonly objects: Objects;
  readonly #program: Program;
  readonly #store: Store;
  readonly #isolates: Isolate[] = [];
  readonly #bindings = new WeakMap<Isolate, unknown>();

  constructor(program: Program, seed: number) {
    this.#program = program;
    this.random = new Random(seed);
    this.faults = new Faults(this.clock, this.random.fork());
    this.network = new Network(this.clock, this.random.fork());
    const parts = { clock: this.clock, random: this.random.fork(), faults: this.faults };
    this.#store = new Store(parts);
    this.objects = new Objects({ ...parts, place: () => this.#place() });
    this.queues = new Queues({ ...parts, deliver: (batch) => this.#run("queue", batch) });
  }

  /** An account, and a token with which it calls the API. */
  createAccount(name: string): string {
    const { product } = this.#place().isolate;
    const { now } = this.clock;
    const [user_id, token] = [product.newId(now), product.newApiToken()];
    const hash = product.sha256Hex(token);
    this.database.read(
      `INSERT INTO users (id, email, name, email_verified_at, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)`,
      ...[user_id, `${name.toLowerCase()}@example.com`, name, now, now, now],
    );
    this.database.read(
      `INSERT INTO api_tokens (id, user_id, name, token_hash, token_prefix, created_at, updated_at)
        VALUES (?, ?, ?, ?, ?, ?, ?)`,
      ...[product.newId(now), user_id, "simulation", hash, token.slice(0, 12), now, now],
    );
    return token;
  }

  /** A request from outside, and its answer; that of an agent has its own credential and comes from its network. */
  async request(method: string, path: string, { token, agent, body }: Asking = {}) {
    const headers = {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(agent && { "x-agent-token": agent.token }),
      "content-type": "application/json",
    };
    const text = body === undefined ? undefined : JSON.stringify(body);
    const request = new Request(`${PUBLIC_URL}${path}`, { method, headers, ...(text && { body: text }) });
    if (agent) Object.defineProperty(request, "cf", { value: { asn: agent.asn } });
    try {
      const response = (await this.#run("fetch", request)) as Response;
      return { status: response.status, body: JSON.parse((await response.text()) || "null") };
    } catch {
      return { status: 503, body: null };
    }
  }

  /** Lets everything happen until then, the cron's ticks among it. */
  async runUntil(instant: number): Promise<void> {
    for (let at = (Math.floor(this.clock.now / MINUTE_MS) + 1) * MINUTE_MS; at <= instant; at += MINUTE_MS) {
      this.#scheduleTick(at);
    }
    await this.clock.runUntil(instant);
  }

  /** The result of work that needs the clock to move. */
  async await<Result>(work: Promise<Result>): Promise<Result> {
    let isDone = false;
    const watched = work.finally(() => {
      isDone = true;
    });
    while (!isDone) await this.runUntil(this.clock.now + 10);
    return watched;
  }

  #scheduleTick(at: number): void {
    const { random, faults, clock } = this;
    if (faults.happens("tick missing")) return;
    const late = faults.happens("tick late") ? random.between(1_000, TICK_LATE_MS) : random.between(0, 200);
    const tick = () => void this.#run("scheduled", { scheduledTime: at, cron: "* * * * *" }).catch(() => {});
    clock.at(at + late, tick);
    if (faults.happens("tick repeated")) clock.at(at + late + random.between(0, MINUTE_MS), tick);
  }

  #run(handler: "fetch" | "queue" | "scheduled", event: unknown): Promise<unknown> {
    const { isolate, env } = this.#place();
    const worker = isolate.product.worker as unknown as Record<
      typeof handler,
      (event: unknown, env: unknown, ctx: unknown) => unknown
    >;
    const ctx = { waitUntil: (work: Promise<unknown>) => isolate.defer(work), passThroughOnException: () => {} };
    return isolate.invoke(() => worker[handler](event, env, ctx));
  }

  /** One of the isolates that live; a dead one has a successor. */
  #place(): { isolate: Isolate; env: unknown } {
    const n = this.random.between(0, ISOLATES - 1);
    let isolate = this.#isolates[n];
    if (!isolate || isolate.isDead) {
      isolate = this.#start();
      this.#isolates[n] = isolate;
    }
    return { isolate, env: this.#bindings.get(isolate) };
  }

  #start(): Isolate {
    const { clock, network, database, faults } = this;
    const random = this.random.fork();
    const isolate = new Isolate(this.#program, {
      clock,
      random,
      faults,
      fetch: (input, init) => network.fetch(input, init),
      connect: () => {
        throw new Error("proxy request failed, cannot connect to the specified address");
      },
      caches: { default: { match: async () => undefined, put: async () => {} } },
    });
    this.#bindings.set(isolate, {
      ...this.queues.bindings(isolate),
      ...this.objects.bindings(isolate),
      ...Object.fromEntries([600, 300, 60, 30, 20, 10].map((size) => [`RATE_${size}`, UNLIMITED])),
      DB: databaseBinding({ database, isolate, faults, random: random.fork() }),
      PAGES: this.#store.binding(isolate),
      ASSETS: { fetch: async () => new Response(null, { status: 404 }) },
      ROOT_SECRET: "0123456789abcdef0123456789abcdef",
      WORKER_VERSION: { id: "simulated", tag: "", timestamp: "" },
      PUBLIC_URL,
      LOG_LEVEL: "silent",
      PASSWORD_COST: "10",
    });
    return isolate;
  }
}

const UNLIMITED = { limit: async () => ({ success: true }) };
