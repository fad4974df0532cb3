import { z } from "zod";
import type { ProbeResult } from "../contract/check.ts";
import { TcpCheck } from "../contract/tcp-check.ts";
import type { Parsed } from "../lib/parse-result.ts";
import { printableLine } from "../lib/printable.ts";
import { converse } from "../net/conversation.ts";
import { classifyError, resultOf } from "../net/faults.ts";
import type { NetIo } from "../net/port.ts";
import type { Probe } from "./port.ts";
import type { Dialog } from "./tcp-protocols/dialog.ts";
import { TCP_DIALOGS } from "./tcp-protocols/registry.ts";

export interface HostPort {
  host: string;
  port: number;
}

/** For types whose target says everything. */
export const NO_OPTIONS = z.unknown().transform(() => null);

/** As much of what a server says of itself is shown. */
const BANNER_MAX = 200;
/** Of an open port that nothing more is expected of. */
export const PORT_ALONE: TcpCheck = { tcp_protocol: null, expected_banner: "" };

export const tcpProbe: Probe<HostPort, TcpCheck> = {
  type: "tcp",
  needs: ["tcp"],
  timeout_seconds: 10,
  options: TcpCheck,
  parseTarget: (text) => parseHostPort(text, "tcp"),
  destination: (target) => target,
  async check(target, { tcp_protocol, expected_banner }, io, signal) {
    if (tcp_protocol !== null) return greet(TCP_DIALOGS[tcp_protocol], { ...target, expected_banner }, io, signal);
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

function greet(
  { name, greet: talk }: Dialog,
  { host, port, expected_banner }: HostPort & Pick<TcpCheck, "expected_banner">,
  io: NetIo,
  signal: AbortSignal,
): Promise<ProbeResult> {
  return converse({ host, port, tls: "off" }, io, signal, async (conversation, details) => {
    const banner = printableLine(await talk(conversation)).slice(0, BANNER_MAX);
    details.banner = banner;
    if (banner.includes(expected_banner)) return `${name}: ${banner}`;
    const message = `${name} says ${JSON.stringify(banner)}, expected ${JSON.stringify(expected_banner)}`;
    return { outcome: "failure", cause: "protocol", message };
  });
}

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
