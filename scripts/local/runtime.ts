import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { Refusal } from "./command-error.ts";
import type { RuntimeLog } from "./logs.ts";
import { listenPrivately } from "./private-socket.ts";
import type { Address } from "./settings.ts";

export interface Runtime extends AsyncDisposable {
  /** The port that the runtime listens on. */
  port: number;
}

export interface RuntimeInput {
  /** Holds what compileRuntime gives. Beside it is the socket by which the runtime reaches this process. */
  configFile: string;
  address: Address;
  print: (log: RuntimeLog) => void;
}

const RESTART_AFTER_MS = 1_000;
/** Miniflare's, https://github.com/cloudflare/workers-sdk/blob/main/packages/miniflare/src/shared/log.ts */
const WARNING = 2;
const REFUSED = JSON.stringify({ error: "this service is not a proxy" });
const REFUSAL = [
  "HTTP/1.1 405 Method Not Allowed",
  "Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
  "Content-Type: application/json",
  `Content-Length: ${REFUSED.length}`,
  "Connection: close",
  "",
  REFUSED,
].join("\r\n");

/**
 * The Workers runtime, without Miniflare, which only writes its configuration: no request passes its workers, and its
 * code is not kept in memory. A runtime that crashes is started again.
 */
export async function startRuntime({ configFile, address, print }: RuntimeInput): Promise<Runtime> {
  // No port, which every process of the machine could print lines of the log through.
  const socket = join(dirname(configFile), "runtime.sock");
  const loopback = serveLoopback(print);
  await listenPrivately(loopback, socket);
  let isDisposed = false;
  const first = Promise.withResolvers<number>();
  let child: ChildProcess | undefined;
  const keepRunning = async () => {
    while (!isDisposed) {
      child = spawnRuntime({ configFile, address, print }, socket);
      const ended = once(child, "exit");
      const port = await portOf(child);
      if (port === undefined) first.reject(new Refusal("the Workers runtime did not start"));
      else first.resolve(port);
      await ended;
      if (isDisposed) return;
      console.error("the Workers runtime ended by itself; it is started again");
      await sleep(RESTART_AFTER_MS);
    }
  };
  const running = keepRunning();
  const dispose = async () => {
    isDisposed = true;
    child?.kill("SIGKILL");
    loopback.close();
    loopback.closeAllConnections();
    await running;
  };
  try {
    return { port: await first.promise, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** Of the version that Miniflare writes configurations for. */
function runtimePath(): string {
  const require = createRequire(import.meta.url);
  return createRequire(require.resolve("miniflare"))("workerd").default;
}

function spawnRuntime({ configFile, address: { host, port }, print }: RuntimeInput, loopback: string) {
  const entry = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const addresses = [`--socket-addr=entry=${entry}`, `--external-addr=loopback=unix:${loopback}`];
  const child = spawn(
    runtimePath(),
    // Without --verbose an exception in an alarm, a queue or a cron is silent.
    ["serve", "--binary", "--experimental", "--verbose", ...addresses, "--control-fd=3", configFile],
    { stdio: ["ignore", "pipe", "pipe", "pipe"], env: { ...process.env, TZ: "UTC", FORCE_COLOR: "0" } },
  );
  for (const input of [child.stdout, child.stderr]) {
    if (input) createInterface({ input }).on("line", (line) => print(parseLog(line)));
  }
  return child;
}

function parseLog(line: string): RuntimeLog {
  try {
    const { level, message } = JSON.parse(line);
    return { level, message };
  } catch {
    return { level: "error", message: line };
  }
}

/** None where the runtime ends before it listens. */
async function portOf({ stdio }: ChildProcess): Promise<number | undefined> {
  const control = stdio[3];
  if (!(control instanceof Readable)) return undefined;
  for await (const line of createInterface({ input: control })) {
    const { event, port } = JSON.parse(line);
    if (event === "listen") return port;
  }
  return undefined;
}

/** What workers of Miniflare report; and where connections arrive that a client asked the service for. */
function serveLoopback(print: RuntimeInput["print"]) {
  return createServer(async (request, response) => {
    const message = await text(request);
    if (Number(request.headers["mf-log-level"]) <= WARNING) print({ level: "warn", message });
    response.end();
  }).on("connect", (_, socket) => socket.on("error", () => {}).end(REFUSAL));
}
