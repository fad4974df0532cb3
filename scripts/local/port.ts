import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Refusal } from "./command-error.ts";
import type { Address } from "./settings.ts";

/** A service that is just being killed and started again frees its port within this time. */
const PATIENCE_MS = 1000;

/** Finds out, before anything is touched, that the port is free; gives the port that 0 stands for. */
export async function findPort({ host, port }: Address): Promise<number> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await listenOnce({ host, port });
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code !== "EADDRINUSE") throw new Refusal(`cannot listen on ${host}:${port} (${code}): set HOST and PORT`);
      if (Date.now() > deadline) {
        throw new Refusal(`port ${port} on ${host} is taken: stop what listens there or set PORT to another number`);
      }
    }
    await sleep(100);
  }
}

async function listenOnce({ host, port }: Address): Promise<number> {
  const server = createServer().listen(port, host);
  await once(server, "listening");
  const bound = server.address();
  server.close();
  await once(server, "close");
  return typeof bound === "object" && bound !== null ? bound.port : port;
}
