import { IoFault } from "../lib/io-fault.ts";
import { classifyError, type ProbeFailure } from "../net/faults.ts";
import { discard } from "../net/http-body.ts";
import { exchange } from "../net/http-exchange.ts";
import type { NetIo, NetRequest, NetResponse } from "../net/port.ts";
import { serverName } from "../net/tls/host.ts";
import { explainTls, type TlsTarget } from "../net/tls/inspect.ts";
import { openUnverified } from "../net/tls/stream.ts";
import { type Hop, nextHop, redirectLocation } from "./http-hop.ts";

const OWN_HEADERS = { "user-agent": "Vigil/1.0 (uptime check)", accept: "*/*" };

export interface Course {
  first: Hop;
  verify_tls: boolean;
  redirects_max: number;
  /** Whether a redirect of this status is followed. */
  follows(status: number): boolean;
  /** What a browser would add to this request, and remember of its answer. */
  cookies?: { headerFor(url: URL): string | null; store(url: URL, headers: Headers): void };
  /** The body of a request goes to no other origin than the one it was written for. */
  keepsBody?: boolean;
}

export interface Answer {
  url: URL;
  response: NetResponse;
  /** Of all hops together. */
  latency_ms: number;
  redirects: number;
}

interface Timing {
  signal: AbortSignal;
  elapsed: () => number;
}

/** Follows redirects by hand, because each hop has to pass the guard. */
export async function follow(course: Course, io: NetIo, timing: Timing): Promise<Answer | ProbeFailure> {
  const { verify_tls, redirects_max } = course;
  const { signal } = timing;
  let hop = course.first;
  let latency_ms = 0;
  for (let redirects = 0; ; redirects++) {
    let response: NetResponse;
    try {
      const headers = withCookies(allHeaders(hop.headers), course.cookies?.headerFor(hop.url) ?? null);
      response = await fetchWithOptionalVerification(io, { ...hop, headers, verify_tls, signal });
    } catch (error) {
      return redirects > 0 && error instanceof IoFault && error.kind === "forbidden"
        ? redirectFailure("redirects to an address that may not be reached")
        : explain(classifyError(error, signal, timing.elapsed()), { url: hop.url, verify_tls }, io, signal);
    }
    latency_ms += response.latency_ms;
    course.cookies?.store(hop.url, response.headers);
    const location = redirectLocation(response.status, response.headers);
    if (location === null || !course.follows(response.status)) return { url: hop.url, response, latency_ms, redirects };
    await discard(response.body);
    if (redirects === redirects_max)
      return redirectFailure(`more than ${redirects_max} ${redirects_max === 1 ? "redirect" : "redirects"}`);
    const next = nextHop(hop, response.status, location);
    if (!next.ok) return redirectFailure(next.reason);
    if (course.keepsBody && next.value.body !== null && next.value.url.origin !== hop.url.origin) {
      return redirectFailure("redirects the body of the request to another host");
    }
    hop = next.value;
  }
}

/** The platform gives no reason for a TLS failure; inspecting the certificate often finds it. */
export async function explain(
  finding: ProbeFailure,
  { url, verify_tls }: { url: URL; verify_tls: boolean },
  io: NetIo,
  signal: AbortSignal,
): Promise<ProbeFailure> {
  if (finding.cause !== "tls" || !verify_tls || signal.aborted) return finding;
  return (await explainTls(io, tlsTargetOf(url), signal)) ?? finding;
}

export function tlsTargetOf(url: URL): TlsTarget {
  return { host: url.hostname, port: Number(url.port) || 443 };
}

function redirectFailure(message: string): ProbeFailure {
  return { outcome: "failure", cause: "status", message };
}

/** The user's headers win over ours, regardless of case. */
function allHeaders(headers: Record<string, string>): Record<string, string> {
  const named = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const own = Object.entries(OWN_HEADERS).filter(([name]) => !named.has(name));
  return { ...Object.fromEntries(own), ...headers };
}

/** Cookies that the user wrote stand before those of the run. */
function withCookies(headers: Record<string, string>, cookies: string | null): Record<string, string> {
  if (cookies === null) return headers;
  const written = Object.entries(headers).filter(([name]) => name.toLowerCase() === "cookie");
  const others = Object.entries(headers).filter(([name]) => name.toLowerCase() !== "cookie");
  return { ...Object.fromEntries(others), cookie: [...written.map(([, value]) => value), cookies].join("; ") };
}

/**
 * Sends a request by `io.fetch`; where the place cannot ignore a certificate (`verify_tls` false), by our own TLS 1.3 and
 * HTTP/1.1 over a plain socket instead. A certificate that is to be verified never comes here.
 */
async function fetchWithOptionalVerification(io: NetIo, request: NetRequest): Promise<NetResponse> {
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
