import { repeatable } from "./constant.ts";
import { cpuSecondsOf } from "./service.ts";
import { startWorker, type WorkerUnderTest } from "./worker.ts";

/**
 * The least that anything of the kind has to do, by the last word of the address: hand out so many bytes, call an object that
 * writes a row, insert a row into the database, send an alert by an object, a queue and a request, or fetch something: once, or so many times, six at a time.
 */
const SCRIPT = `
import { DurableObject } from "cloudflare:workers";
export class Bare extends DurableObject {
  constructor(ctx, env) {
    super(ctx, env);
    ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS beats (slot INTEGER PRIMARY KEY, at INTEGER)");
  }
  beat(n) {
    this.ctx.storage.sql.exec("INSERT OR REPLACE INTO beats VALUES (?, ?)", n % 1000, Date.now());
    return n;
  }
  async alert(to, count) {
    this.beat(count);
    await this.env.ALERTS.sendBatch(Array.from({ length: count }, (_, n) => ({ body: to + n })));
  }
}
const texts = new Map();
const textOf = (size) => {
  if (!texts.has(size)) texts.set(size, "x".repeat(size));
  return texts.get(size);
};
const objectOf = (env, name) => env.BARE.get(env.BARE.idFromName(name));
const ROUTES = {
  bytes: (size) => new Response(textOf(Number(size)), { headers: { "Content-Type": "application/json" } }),
  unchanged: () => new Response(null, { status: 304 }),
  object: async (n, env) => {
    const ok = await objectOf(env, n).beat(Number(n));
    return env.BODY ? new Response(env.BODY, { headers: env.HEADERS }) : Response.json({ ok });
  },
  insert: async (_n, { DB }) => {
    await DB.exec("CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, at INTEGER)");
    return Response.json(await DB.prepare("INSERT INTO rows (at) VALUES (?)").bind(Date.now()).run());
  },
  alert: async (count, env, to) => {
    await objectOf(env, "alert").alert(to, Number(count));
    return new Response("ok");
  },
  fetch: async (_n, _env, to) => {
    await (await fetch(to)).arrayBuffer();
    return new Response("ok");
  },
  fetches: async (count, _env, to) => {
    let left = Number(count);
    const fetchRest = async () => {
      while (left-- > 0) await (await fetch(to)).body.cancel();
    };
    await Promise.all(Array.from({ length: 6 }, fetchRest));
    return new Response("ok");
  },
};
export default {
  fetch(request, env) {
    const url = new URL(request.url);
    const [, route, argument] = url.pathname.split("/");
    return ROUTES[route](argument, env, url.searchParams.get("to"));
  },
  queue: (batch) => Promise.all(batch.messages.map(({ body }) => fetch(body, { method: "POST", body: "{}" }))),
};
`;

export interface BareService extends WorkerUnderTest {
  cpuSeconds(): number;
}

/** Object calls are answered as shortly as can be, or with the bytes of an answer of ours. */
export async function startBare(answer?: Response): Promise<BareService> {
  const { body = "", headers = {} } = answer ? await repeatable(answer) : {};
  const worker = await startWorker(SCRIPT, {
    durableObjects: { BARE: { className: "Bare", useSQLite: true } },
    d1Databases: { DB: "bare" },
    bindings: { BODY: body, HEADERS: headers },
    queueProducers: { ALERTS: "alerts" },
    queueConsumers: { alerts: { maxBatchSize: 100, maxBatchTimeout: 0 } },
  });
  return { ...worker, cpuSeconds: () => cpuSecondsOf(process.pid) };
}
