import { existsSync } from "node:fs";
import { request } from "node:http";

/** Where container engines listen; a rootless one below its user's runtime directory. */
export function engineSockets(env: NodeJS.ProcessEnv): { docker: string[]; podman: string[] } {
  const own = env.XDG_RUNTIME_DIR ?? `/run/user/${process.getuid?.() ?? 0}`;
  return {
    docker: ["/var/run/docker.sock", `${own}/docker.sock`],
    podman: ["/run/podman/podman.sock", `${own}/podman/podman.sock`],
  };
}

export function findSocket(paths: readonly string[]): string | undefined {
  return paths.find((path) => existsSync(path));
}

export interface EngineAnswer {
  status: number;
  value: unknown;
}

const BODY_MAX = 8 * 1024 * 1024;

/** One read-only request to an engine's API over its unix socket: this program never sends any other method there. */
export function getFromSocket(socketPath: string, path: string, signal: AbortSignal): Promise<EngineAnswer> {
  return new Promise((resolve, reject) => {
    const call = request({ socketPath, path, method: "GET", headers: { host: "localhost" }, agent: false, signal });
    call.on("error", reject);
    call.on("response", (answer) => {
      const chunks: Buffer[] = [];
      let length = 0;
      answer.on("data", (chunk: Buffer) => {
        length += chunk.length;
        if (length > BODY_MAX) call.destroy(new Error("the answer is too long"));
        chunks.push(chunk);
      });
      answer.on("error", reject);
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, value: parsed(Buffer.concat(chunks)) }));
    });
    call.end();
  });
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}
