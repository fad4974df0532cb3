import { IoFault } from "../lib/io-fault.ts";
import type { ConnectRequest, NetIo, NetRequest, NetResponse, NetSocket, Notice } from "../net/port.ts";
import { now } from "./clock.ts";
import { openEdgeSocket } from "./edge-socket.ts";
import { addressOf, isCloudflare } from "./egress/address.ts";
import type { Egress, EgressDecision } from "./egress/guard.ts";
import { newId } from "./ids.ts";

/**
 * What a Worker offers to probes. The runtime's errors hide their reason (a refused connection, an unknown name and a bad
 * certificate look alike), so after a failed exchange a plain connection to the same port determines it.
 */
export function edgeIo(egress: Egress): NetIo {
  return {
    now,
    newId: () => newId(),
    resolvers: egress.resolvers,
    hop: egress.hop,
    fetch: (request) => probeFetch(egress, request),
    connect: (request) => probeConnect(egress, request),
  };
}

async function probeFetch(egress: Egress, request: NetRequest): Promise<NetResponse> {
  const { url, method, headers, body, signal, notice } = request;
  if (url.protocol === "https:" && !request.verify_tls) {
    const verdict = egress.checkLiteral(url, "check");
    if (!verdict.ok) throw new IoFault(verdict.fault, verdict.reason);
    throw new IoFault("unsupported", "fetch cannot ignore certificates (verify_ssl false) here");
  }
  try {
    const onDecision = (decision: EgressDecision) => noticeLookup(notice, url.hostname, decision);
    const sent = await egress.guardedFetch(url, { method, headers, body, purpose: "check", signal, onDecision });
    notice?.({ undivided_ms: sent.latency_ms });
    const { status, statusText: status_text, headers: answered, body: stream } = sent.response;
    const addresses = sent.addresses ?? undefined;
    return { status, status_text, headers: answered, body: stream, latency_ms: sent.latency_ms, addresses };
  } catch (error) {
    if (error instanceof IoFault || signal.aborted) throw error;
    throw await explainFetch(egress, url, error, signal);
  }
}

/** Nothing of an address, which is never looked up, and of a name that the platform resolves. */
function noticeLookup(notice: Notice | undefined, name: string, decision: EgressDecision): void {
  const { asked } = decision;
  if (!notice || !asked) return;
  notice({ lookup: { name, answers: (decision.ok && decision.addresses) || [], ...asked } });
}

async function explainFetch(egress: Egress, url: URL, error: unknown, signal: AbortSignal): Promise<unknown> {
  const message = error instanceof Error ? error.message : "";
  const isLost = message.startsWith("Network connection lost");
  if (!isLost && !message.startsWith("internal error")) return error;
  const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
  const isOpen = await canConnect(egress, { host: url.hostname, port, signal });
  if (signal.aborted) return error;
  if (isLost) return new IoFault("connect", isOpen ? "connection closed before a valid answer" : "connection refused");
  if (isOpen && url.protocol === "https:") return new IoFault("tls", "TLS handshake failed or certificate not valid");
  if (isOpen) return new IoFault("protocol", "the answer is not valid HTTP");
  return addressOf(url.hostname)
    ? new IoFault("connect", "host is not reachable")
    : new IoFault("dns", "the name does not resolve");
}

async function probeConnect(egress: Egress, request: ConnectRequest): Promise<NetSocket> {
  const { host, port, signal, notice } = request;
  const verdict = await egress.checkResolved({ host, port }, "check", signal);
  noticeLookup(notice, host, verdict);
  if (!verdict.ok) throw new IoFault(verdict.fault, verdict.reason);
  notice?.({ connection: { address: verdict.addresses?.[0] ?? null, port, latency_ms: null } });
  try {
    const socket = await openEdgeSocket({ ...request, host: verdict.host }, verdict.addresses);
    const { latency_ms, addresses = [] } = socket;
    const address = addresses.length === 1 ? (addresses[0] ?? null) : null;
    notice?.({
      connection: { address, port, latency_ms },
      ...(request.tls === "on" ? { undivided_ms: latency_ms } : { connect_ms: latency_ms }),
    });
    return socket;
  } catch (error) {
    const addresses = (verdict.addresses ?? []).flatMap((address) => addressOf(address) ?? []);
    const isRefused = error instanceof IoFault && error.kind === "connect";
    if (!isRefused || addresses.length === 0 || !addresses.every(isCloudflare)) throw error;
    throw new IoFault("unsupported", "the host is behind Cloudflare, which only http and https checks can reach");
  }
}

async function canConnect(egress: Egress, request: Omit<ConnectRequest, "tls">): Promise<boolean> {
  try {
    (await probeConnect(egress, { ...request, tls: "off" })).close();
    return true;
  } catch {
    return false;
  }
}
