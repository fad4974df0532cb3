import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";

/** Servers on loopback that behave as the outside may: well, badly, slowly or not at all. */
/** A port that was free a moment ago may be another test's by now; nothing is ever given this one (tcpmux). */
const NOTHING_LISTENS = 1;

export interface OutsidePorts {
  http: number;
  /** Accepts and never says a word. */
  silent: number;
  /** Sends bytes of no protocol and closes. */
  garbage: number;
  /** Sends a letter now and then, without end. */
  drip: number;
  /** Sends letters as fast as they are taken, without end. */
  endless: number;
  /** Nothing listens here. */
  closed: number;
}

export interface Outside {
  ports: OutsidePorts;
  openConnections(): number;
  stop(): Promise<void>;
}

type Behaviour = (request: IncomingMessage, response: ServerResponse, argument: string) => void;

let endlessBytes = 0;

const BEHAVIOURS: Record<string, Behaviour> = {
  ok: (_request, response) => void response.end("all systems ok\n"),
  status: (_request, response, code) => void response.writeHead(Number(code)).end(),
  silent: () => {},
  drop: (request) => void request.socket.destroy(),
  cloudflare: (_request, response, code) => void response.writeHead(Number(code), { server: "cloudflare" }).end(),
  to: (_request, response, url) => void response.writeHead(302, { location: decodeURIComponent(url) }).end(),
  chain: (_request, response, left) =>
    void response.writeHead(302, { location: left === "1" ? "/ok" : `/chain/${Number(left) - 1}` }).end(),
  drip: (_request, response) => {
    const timer = setInterval(() => response.write("."), 20);
    response.on("close", () => clearInterval(timer));
  },
  endless: (_request, response) => {
    const block = Buffer.alloc(64 * 1024, "x");
    endlessBytes = 0;
    const pump = () => {
      while (!response.destroyed) {
        endlessBytes += block.length;
        if (!response.write(block)) return void response.once("drain", pump);
      }
    };
    pump();
  },
  "endless-bytes": (_request, response) => void response.end(String(endlessBytes)),
  echo: (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method, headers } = request;
      response.end(JSON.stringify({ method, headers, body: Buffer.concat(chunks).toString() }));
    });
  },
};

export async function startOutside(): Promise<Outside> {
  const http = createHttpServer((request, response) => {
    const [, name = "", argument = ""] = (request.url ?? "").split("/");
    const behave = BEHAVIOURS[name];
    if (behave) behave(request, response, argument);
    else response.writeHead(404).end();
  });
  const silent = createTcpServer(() => {});
  const garbage = createTcpServer((socket) => void socket.end(Buffer.from([0, 255, 22, 3, 1, 10, 13, 128, 7])));
  const drip = createTcpServer((socket) => {
    const timer = setInterval(() => socket.write("x"), 20);
    socket.on("close", () => clearInterval(timer));
  });
  const endless = createTcpServer(pumpLetters);
  const connections = new Set<Socket>();
  const servers = [http, silent, garbage, drip, endless];
  for (const server of servers) {
    server.on("connection", (socket: Socket) => {
      connections.add(socket);
      // Unread bytes would hide that the other side closed.
      socket.resume();
      socket.on("error", () => {});
      socket.on("close", () => connections.delete(socket));
    });
  }
  const ports = {
    http: await listen(http),
    silent: await listen(silent),
    garbage: await listen(garbage),
    drip: await listen(drip),
    endless: await listen(endless),
    closed: NOTHING_LISTENS,
  };
  return {
    ports,
    openConnections: () => connections.size,
    async stop() {
      const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)));
      for (const socket of connections) socket.destroy();
      await Promise.all(closed);
    },
  };
}

function pumpLetters(socket: Socket): void {
  const block = Buffer.alloc(64 * 1024, "x");
  const pump = () => {
    while (!socket.destroyed && socket.write(block));
    if (!socket.destroyed) socket.once("drain", pump);
  };
  pump();
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}
