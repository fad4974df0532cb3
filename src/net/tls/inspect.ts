import { classifyError, type ProbeFailure } from "../faults.ts";
import type { NetIo } from "../port.ts";
import { type CertificateVerdict, evaluateCertificates } from "./certificate.ts";
import { readCertificates } from "./handshake.ts";
import { nameIn, serverName } from "./host.ts";

export interface TlsTarget {
  host: string;
  port: number;
}

export interface TlsInspection extends Omit<CertificateVerdict, "tls"> {
  /** Time until the certificate arrived. */
  latency_ms: number;
}

/** Reads and evaluates the certificate of a server, valid or not. */
export async function inspectCertificate(io: NetIo, target: TlsTarget, signal: AbortSignal): Promise<TlsInspection> {
  const socket = await io.connect({ ...target, tls: "off", signal });
  try {
    const openedAt = io.now();
    const seen = await readCertificates(socket, { server_name: serverName(target.host), alpn: [] });
    const now = io.now();
    const { tls, ...verdict } = evaluateCertificates(seen, nameIn(target.host), now);
    io.notice?.({ tls });
    return { ...verdict, latency_ms: socket.latency_ms + now - openedAt };
  } finally {
    socket.close();
  }
}

/** Why TLS with a server fails, or null when reading its certificate does not show it. */
export async function explainTls(io: NetIo, target: TlsTarget, signal: AbortSignal): Promise<ProbeFailure | null> {
  try {
    const { problem, distrust } = await inspectCertificate(io, target, signal);
    return { outcome: "failure", cause: "tls", message: problem ?? distrust };
  } catch (error) {
    const finding = classifyError(error, signal, 0);
    return finding.cause === "tls" ? finding : null;
  }
}
