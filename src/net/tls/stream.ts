import { IoFault } from "../../lib/io-fault.ts";
import type { NetSocket } from "../port.ts";
import { alertFault, CLOSE_NOTIFY, isHarmless } from "./alerts.ts";
import type { ClientHelloOptions } from "./client-hello.ts";
import { performHandshake } from "./handshake.ts";
import { CONTENT, type RecordLayer } from "./record-layer.ts";

const KEY_UPDATE = 24;

/** A byte stream over TLS 1.3 with an unverified certificate. */
export interface TlsStream {
  /** Null when the server ended the connection, with or without close_notify. */
  read(): Promise<Uint8Array | null>;
  write(bytes: Uint8Array): Promise<void>;
  /** May be called at any time and repeatedly; never throws. */
  close(): void;
}

/** Turns a socket in clear into a stream that ignores the server's certificate. The socket is closed with it. */
export async function openUnverified(socket: NetSocket, wishes: ClientHelloOptions): Promise<TlsStream> {
  try {
    return streamOver(await performHandshake(socket, wishes));
  } catch (error) {
    socket.close();
    throw error;
  }
}

function streamOver(layer: RecordLayer): TlsStream {
  let isClosed = false;
  return {
    async read() {
      for (;;) {
        const record = await layer.read();
        if (!record) return null;
        if (record.type === CONTENT.application_data) {
          if (record.payload.length > 0) return record.payload;
        } else if (record.type === CONTENT.alert) {
          if (record.payload[1] === CLOSE_NOTIFY) return null;
          if (!isHarmless(record.payload)) throw alertFault(record.payload);
        } else if (record.payload[0] === KEY_UPDATE) {
          throw new IoFault("unsupported", "the server changes its TLS keys, which this check does not follow");
        }
      }
    },
    write: (bytes) => layer.write(CONTENT.application_data, bytes),
    close() {
      if (isClosed) return;
      isClosed = true;
      const warning = 1;
      layer
        .write(CONTENT.alert, Uint8Array.of(warning, CLOSE_NOTIFY))
        .catch(() => {})
        .finally(() => layer.close());
    },
  };
}
