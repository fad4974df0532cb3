import { once } from "node:events";
import { rmSync } from "node:fs";
import type { Server } from "node:http";

/** Listens on a Unix socket that only this user may open. One that a process left behind is replaced. */
export async function listenPrivately(server: Server, path: string): Promise<void> {
  rmSync(path, { force: true });
  const umask = process.umask(0o177);
  const listening = once(server.listen(path), "listening");
  process.umask(umask);
  await listening;
}
