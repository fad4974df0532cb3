import { execFile } from "node:child_process";
import type { PingCheck } from "../../contract/infrastructure-check.ts";
import { IoFault } from "../../lib/io-fault.ts";
import { type AgentType, icmpType, pingType } from "../../probes/agent-types.ts";
import type { Probe } from "../../probes/port.ts";
import { checkWith, type Verdict } from "./verdict.ts";

const COUNT = 3;
/** Seconds for an answer to the last echo. */
const WAIT_S = 2;

export const icmpProbe: Probe<{ host: string }, PingCheck> = probeOf(icmpType);
export const pingProbe: Probe<{ host: string }, PingCheck> = probeOf(pingType);

/** By the system's own program, which may send what an unprivileged process may not. */
function probeOf(type: AgentType<{ host: string }, PingCheck>): Probe<{ host: string }, PingCheck> {
  return {
    ...type,
    check: ({ host }, options, io, signal) =>
      checkWith(io, signal, async () => evaluatePing(await ping(host, signal), options)),
  };
}

interface PingOutput {
  code: number | string | null;
  text: string;
}

function ping(host: string, signal: AbortSignal): Promise<PingOutput> {
  return new Promise((resolve, reject) => {
    const args = ["-q", "-c", String(COUNT), "-W", String(WAIT_S), host];
    execFile("ping", args, { signal, env: { ...process.env, LC_ALL: "C" } }, (error, stdout, stderr) => {
      if (signal.aborted) reject(signal.reason);
      else resolve({ code: error?.code ?? 0, text: `${stdout}\n${stderr}` });
    });
  });
}

/** Reads what iputils and BusyBox print at the end. */
export function evaluatePing({ code, text }: PingOutput, { packet_loss_max_percent }: PingCheck): Verdict {
  if (code === "ENOENT") throw new IoFault("unsupported", "this host has no ping program; install iputils-ping");
  if (/not permitted|permission denied/i.test(text)) {
    throw new IoFault("unsupported", "this agent may not ping; allow its group in net.ipv4.ping_group_range");
  }
  if (/not known|bad address|unknown host|name resolution|No address/i.test(text)) {
    throw new IoFault("dns", "the name does not resolve");
  }
  const [, sent = "0", received = "0"] = /(\d+) packets transmitted, (\d+) (?:packets )?received/.exec(text) ?? [];
  if (sent === "0") throw new IoFault("connect", "host is not reachable");
  const loss = Math.round((1 - Number(received) / Number(sent)) * 100);
  const [, min, average, max] = /= ([\d.]+)\/([\d.]+)\/([\d.]+)/.exec(text) ?? [];
  const latency_ms = average === undefined ? null : Math.max(1, Math.round(Number(average)));
  const details = {
    packet_loss_percent: loss,
    ...(average === undefined ? {} : { min_ms: Number(min), average_ms: Number(average), max_ms: Number(max) }),
  };
  if (loss === 100) return { outcome: "failure", cause: "timeout", message: "no answer to ping", latency_ms, details };
  const message = loss === 0 ? `answers in ${average} ms` : `${loss} % of packets lost`;
  return loss > packet_loss_max_percent
    ? { outcome: "failure", cause: "timeout", message, latency_ms, details }
    : { message, latency_ms, details };
}
