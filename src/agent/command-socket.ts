import { WebSocket } from "ws";
import { SOCKET_ANSWERS_HEADER, SOCKET_ASK, SOCKET_PING, SOCKET_PONG } from "../contract/agent-object.ts";
import { UplinkError, unavailableBecause } from "./uplink-error.ts";

/** Choice: below the minute after which many routers forget a silent connection. */
const PING_MS = 45_000;
const OPEN_TIMEOUT_MS = 15_000;
const MESSAGE_MAX = 1024 * 1024;

export interface SocketOptions {
  address: string;
  headers: Readonly<Record<string, string>>;
  signal: AbortSignal;
  onMessage(text: string): void;
}

/** Ends when an open connection ended; throws an UplinkError when none could be opened. */
export type HoldSocket = (options: SocketOptions) => Promise<void>;

export const holdSocket: HoldSocket = ({ address, headers, signal, onMessage }) =>
  new Promise((resolve, reject) => {
    // A redirect would take the credential along; the package follows none unless an option asks for it.
    const socket = new WebSocket(address, {
      headers: { ...headers, [SOCKET_ANSWERS_HEADER]: "1" },
      handshakeTimeout: OPEN_TIMEOUT_MS,
      maxPayload: MESSAGE_MAX,
      perMessageDeflate: false,
    });
    let isOpen = false;
    let timer: NodeJS.Timeout | undefined;
    let isAnswered = true;
    const end = () => socket.terminate();
    const ping = () => {
      if (!isAnswered) return end();
      isAnswered = false;
      socket.send(SOCKET_PING);
      timer = setTimeout(ping, PING_MS);
    };
    signal.addEventListener("abort", end, { once: true });
    socket.on("open", () => {
      isOpen = true;
      timer = setTimeout(ping, PING_MS);
    });
    socket.on("message", (data) => {
      isAnswered = true;
      const text = String(data);
      if (text === SOCKET_ASK) socket.send(SOCKET_PING);
      else if (text !== SOCKET_PONG) onMessage(text);
    });
    socket.on("unexpected-response", (request, { statusCode = 0 }) => {
      request.destroy();
      const kind = statusCode === 401 ? "unauthorized" : "unavailable";
      reject(new UplinkError(kind, `HTTP ${statusCode}: not a WebSocket`, { status: statusCode }));
      cleanUp();
    });
    socket.on("error", (error) => {
      // Ending a connection that is being opened is an error, too; `close` follows each.
      if (!isOpen && !signal.aborted) reject(unavailableBecause(error));
    });
    socket.on("close", () => {
      cleanUp();
      if (isOpen || signal.aborted) resolve();
      else reject(new UplinkError("unavailable", "the connection was closed before it was open"));
    });
    if (signal.aborted) end();

    function cleanUp(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
    }
  });
