import { IoFault } from "../lib/io-fault.ts";
import { exchange } from "../net/http-exchange.ts";
import type { NetIo, NetRequest, NetResponse } from "../net/port.ts";
import { serverName } from "../net/tls/host.ts";
import { openUnverified } from "../net/tls/stream.ts";

/**
 * Sends a request by `io.fetch`; where the place cannot ignore a certificate (`verify_tls` false), by our own TLS 1.3 and
 * HTTP/1.1 over a plain socket instead. A certificate that is to be verified never comes here.
 */
export async function fetchWithOptionalVerification(io: NetIo, request: NetRequest): Promise<NetResponse> {
  try {
    return await io.fetch(request);
  } catch (error) {
    const isOurs = error instanceof IoFault && error.kind === "unsupported";
    if (!isOurs || request.verify_tls || request.url.protocol !== "https:") throw error;
    return fetchUnverified(io, request);
  }
}

async function fetchUnverified(io: NetIo, request: NetRequest): Promise<NetResponse> {
  const { url, signal } = request;
  const socket = await io.connect({ host: url.hostname, port: Number(url.port) || 443, tls: "off", signal });
  const openedAt = io.now();
  const stream = await openUnverified(socket, { server_name: serverName(url.hostname), alpn: ["http/1.1"] });
  const hop: Record<string, string> = io.hop === undefined ? {} : { "x-monitor-hop": io.hop };
  const response = await exchange(stream, { ...request, headers: { ...request.headers, ...hop } });
  const latency_ms = socket.latency_ms + io.now() - openedAt;
  return { ...response, latency_ms, addresses: socket.addresses };
}
