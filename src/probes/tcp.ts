import { z } from "zod";
import type { Parsed } from "../lib/parse-result.ts";
import { classifyError, resultOf } from "../net/faults.ts";
import type { Probe } from "./port.ts";

export interface HostPort {
  host: string;
  port: number;
}

/** For types whose target says everything. */
export const NO_OPTIONS = z.unknown().transform(() => null);

export const tcpProbe: Probe<HostPort, null> = {
  type: "tcp",
  needs: ["tcp"],
  timeout_seconds: 10,
  options: NO_OPTIONS,
  parseTarget: (text) => parseHostPort(text, "tcp"),
  destination: (target) => target,
  async check(target, _options, io, signal) {
    const startedAt = io.now();
    try {
      const socket = await io.connect({ ...target, tls: "off", signal });
      socket.close();
      const { latency_ms } = socket;
      return { outcome: "success", latency_ms, message: `port ${target.port} is open`, details: {} };
    } catch (error) {
      return resultOf(classifyError(error, signal, io.now() - startedAt));
    }
  },
};

/** Reads `host:port`, also with its scheme in front and with an IPv6 address in brackets; a default may stand in for the port. */
export function parseHostPort(text: string, scheme: string, defaultPort?: number): Parsed<HostPort> {
  const trimmed = text.trim();
  const prefix = `${scheme}://`;
  const bare = trimmed.toLowerCase().startsWith(prefix) ? trimmed.slice(prefix.length) : trimmed;
  const match = /^(\[[0-9a-f:.]+\]|[^\s:/?#@[\]\\]+)(?::(\d{1,5}))?\/?$/i.exec(bare);
  const port = match?.[2] === undefined ? defaultPort : Number(match[2]);
  if (!match?.[1] || port === undefined || !URL.canParse(`http://${match[1]}`))
    return { ok: false, reason: "must have the form host:port" };
  if (port < 1 || port > 65535) return { ok: false, reason: "must have a port between 1 and 65535" };
  return { ok: true, value: { host: match[1], port } };
}
