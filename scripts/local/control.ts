import { createServer, request } from "node:http";
import { json } from "node:stream/consumers";
import type { Execute, Row, Statement } from "./database.ts";
import { listenPrivately } from "./private-socket.ts";
import type { StateDir } from "./settings.ts";

/** What other commands learn of a service that runs. */
export interface Running {
  /** Where this machine reaches the service. */
  url: string;
  /** Where people reach it. */
  publicUrl: string;
  backup_dir: string | null;
  client_address_header: string | null;
  sends_mail: boolean;
}

interface Served extends Running {
  execute: Execute;
}

/**
 * Other commands reach the database of a running service through this socket, because only one process may write to it.
 * A user who may open the socket may read and write everything, hence its mode and place.
 */
export async function serveControl({ controlSocket }: StateDir, { execute, ...running }: Served): Promise<void> {
  const server = createServer(async (req, res) => {
    try {
      if (req.method === "GET") {
        res.end(JSON.stringify(running));
        return;
      }
      const statements = (await json(req)) as Statement[];
      res.end(JSON.stringify(await execute(statements)));
    } catch (error) {
      res.writeHead(500).end(JSON.stringify(error instanceof Error ? error.message : String(error)));
    }
  });
  await listenPrivately(server, controlSocket);
}

/** Whether the error says that no service is running here, rather than that it refused. */
export function isNotRunning(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ECONNREFUSED");
}

/** The database of the service that runs on this state directory. Fails with isNotRunning when there is none. */
export function controlOf(stateDir: StateDir): Execute {
  return async (statements) => (await ask(stateDir, "POST", JSON.stringify(statements))) as Row[][];
}

/** The service that runs on this state directory; undefined where none runs. */
export async function findService(stateDir: StateDir): Promise<Running | undefined> {
  try {
    return (await ask(stateDir, "GET")) as Running;
  } catch (error) {
    if (isNotRunning(error)) return undefined;
    throw error;
  }
}

function ask({ controlSocket }: StateDir, method: "GET" | "POST", body?: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const req = request({ socketPath: controlSocket, method, path: "/" }, async (res) => {
      try {
        const answer = await json(res);
        if (res.statusCode === 200) resolve(answer);
        else reject(new Error(String(answer)));
      } catch (error) {
        reject(error);
      }
    });
    req.once("error", reject).end(body);
  });
}
