import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";

/** Game servers on loopback: what they say of themselves to any client. */
export interface GameServer {
  port: number;
  stop(): Promise<void>;
}

/** The status answer of a Minecraft server (Java edition), for a request that follows the protocol. */
export async function startMinecraft(status: unknown): Promise<GameServer> {
  return listen(
    createServer((socket) => {
      let received: Buffer = Buffer.alloc(0);
      socket.on("error", () => {});
      socket.on("data", (chunk: Buffer) => {
        received = Buffer.concat([received, chunk]);
        const packets = splitPackets(received);
        if (packets.length < 2) return;
        const [handshake, request] = packets;
        // id 0, any version, the host, its port, next state 1; then the empty packet 0
        const isHandshake = handshake?.[0] === 0 && handshake.at(-1) === 1 && handshake.includes("localhost");
        if (!isHandshake || request?.toString("hex") !== "00") return void socket.destroy();
        const text = Buffer.from(JSON.stringify(status));
        const body = Buffer.concat([varint(0), varint(text.length), text]);
        // In two pieces, as long answers come.
        socket.write(Buffer.concat([varint(body.length), body.subarray(0, 5)]));
        setTimeout(() => socket.write(body.subarray(5)), 10);
      });
    }),
  );
}

export function startFivem(documents: Record<string, unknown>): Promise<GameServer> {
  return listen(
    createHttpServer((request, response) => {
      const document = documents[request.url ?? ""];
      if (document === undefined) return void response.writeHead(404).end("Not Found");
      response.end(typeof document === "string" ? document : JSON.stringify(document));
    }),
  );
}

function splitPackets(bytes: Buffer): Buffer[] {
  const packets: Buffer[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    // All packets of a client are shorter than 128 bytes.
    const length = bytes[offset] ?? 0;
    if (offset + 1 + length > bytes.length) break;
    packets.push(bytes.subarray(offset + 1, offset + 1 + length));
    offset += 1 + length;
  }
  return packets;
}

function varint(value: number): Buffer {
  return value < 128 ? Buffer.of(value) : Buffer.concat([Buffer.of((value & 127) | 128), varint(value >> 7)]);
}

function listen(server: Server): Promise<GameServer> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket));
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve({ port: (server.address() as AddressInfo).port, stop }));
  });
}
