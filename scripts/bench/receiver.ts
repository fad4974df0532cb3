import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const LOST_AFTER_MS = 120_000;

export interface Receiver extends Disposable {
  url: string;
  /** How many requests were answered in all. */
  count(): number;
  /** Milliseconds from now until so many requests to paths of this beginning arrived. */
  timeUntil(start: string, count: number): Promise<number>;
}

/** A target of checks and a receiver of alerts; an address that begins with /hanging gets no response. */
export async function startReceiver(): Promise<Receiver> {
  const waiting = new Set<{ start: string; left: number; done: () => void }>();
  let total = 0;
  const server = createServer((request, response) => {
    request.resume();
    const path = request.url ?? "";
    for (const each of waiting) {
      if (!path.startsWith(each.start)) continue;
      each.left -= 1;
      if (each.left === 0) each.done();
    }
    if (path.startsWith("/hanging")) return;
    total += 1;
    response.end("ok");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => total,
    timeUntil(start, count) {
      const from = performance.now();
      return new Promise((resolve, reject) => {
        const lost = setTimeout(() => reject(new Error(`${start}: not all of ${count} arrived`)), LOST_AFTER_MS);
        const each = {
          start,
          left: count,
          done() {
            clearTimeout(lost);
            waiting.delete(each);
            resolve(performance.now() - from);
          },
        };
        waiting.add(each);
      });
    },
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
