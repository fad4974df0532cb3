import { isIP } from "node:net";
import { connect, type TLSSocket } from "node:tls";

const TIMEOUT_MS = 3000;

/**
 * Why a monitor of this service would not accept its certificate, as a code of OpenSSL or Node; null where it would, and
 * where nothing answers by TLS.
 */
export function findCertificateFault({ host, port }: { host: string; port: number }): Promise<string | null> {
  const bare = host.replace(/^\[|\]$/g, "");
  const name = isIP(bare) ? {} : { servername: bare };
  return new Promise((resolve) => {
    // The certificate is judged all the same; the connection carries nothing.
    const socket: TLSSocket = connect({ host: bare, ...name, port, rejectUnauthorized: false });
    const end = (fault: string | null) => {
      socket.destroy();
      resolve(fault);
    };
    socket.setTimeout(TIMEOUT_MS, () => end(null));
    socket.on("error", () => end(null));
    socket.on("close", () => end(null));
    socket.on("secureConnect", () => end(socket.authorized ? null : faultOf(socket.authorizationError)));
  });
}

/** Documented as an Error, and a code as text in fact. */
function faultOf(error: unknown): string {
  if (error instanceof Error) return "code" in error ? String(error.code) : error.message;
  return String(error);
}
