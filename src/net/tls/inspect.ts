import { classifyError, type ProbeFailure } from "../faults.ts";
import type { NetIo } from "../port.ts";
import { type CertificateVerdict, judgeCertificates } from "./certificate.ts";
import { readCertificates } from "./handshake.ts";
import { nameIn, serverName } from "./host.ts";

export interface TlsTarget {
  host: string;
  port: number;
}

export interface TlsInspection extends CertificateVerdict {
  /** Time until the certificate was there. */
  latency_ms: number;
}

/** Looks at the certificate that a server shows, whatever is wrong with it. */
export async function inspectCertificate(io: NetIo, target: TlsTarget, signal: AbortSignal): Promise<TlsInspection> {
  const socket = await io.connect({ ...target, tls: "off", signal });
  try {
    const openedAt = io.now();
    const seen = await readCertificates(socket, { server_name: serverName(target.host), alpn: [] });
    const now = io.now();
    return { ...judgeCertificates(seen, nameIn(target.host), now), latency_ms: socket.latency_ms + now - openedAt };
  } finally {
    socket.close();
  }
}

/** What is wrong with a server whose TLS was refused, or null where a second look cannot tell. */
export async function explainTls(io: NetIo, target: TlsTarget, signal: AbortSignal): Promise<ProbeFailure | null> {
  try {
    const { problem, distrust } = await inspectCertificate(io, target, signal);
    return { outcome: "failure", cause: "tls", message: problem ?? distrust };
  } catch (error) {
    const finding = classifyError(error, signal, 0);
    return finding.cause === "tls" ? finding : null;
  }
}
