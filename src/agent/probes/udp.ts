import { createSocket } from "node:dgram";
import { lookup } from "node:dns/promises";
import type { UdpCheck } from "../../contract/infrastructure-check.ts";
import { IoFault } from "../../lib/io-fault.ts";
import { udpType } from "../../probes/agent-types.ts";
import type { Probe } from "../../probes/port.ts";
import type { HostPort } from "../../probes/tcp.ts";
import { checkWith, untilAborted, type Verdict } from "./verdict.ts";

/** How long a closed port has to refuse. */
const REFUSAL_MS = 1000;

export const udpProbe: Probe<HostPort, UdpCheck> = {
  ...udpType,
  check: (target, options, io, signal) => checkWith(io, signal, () => exchange(target, options, signal)),
};

async function exchange({ host, port }: HostPort, options: UdpCheck, signal: AbortSignal): Promise<Verdict> {
  const { address, family } = await lookup(host.replace(/^\[|\]$/g, ""));
  const socket = createSocket(family === 6 ? "udp6" : "udp4");
  const isReplyExpected = options.udp_expects_reply ?? (options.udp_payload !== "" || options.expected_body !== "");
  try {
    const reply = await untilAborted(
      new Promise<Buffer | null>((resolve, reject) => {
        socket.on("error", reject);
        socket.on("message", resolve);
        // A connected socket reports a refused port as an error.
        socket.connect(port, address, () => socket.send(bytesOf(options.udp_payload)));
        if (!isReplyExpected) setTimeout(() => resolve(null), REFUSAL_MS);
      }),
      signal,
      () => {},
    );
    return evaluateReply(reply, options);
  } finally {
    socket.close();
  }
}

function evaluateReply(reply: Buffer | null, { expected_body }: UdpCheck): Verdict {
  if (!reply) {
    throw new IoFault("unsupported", "no reply, which for UDP says nothing; set udp_payload and expected_body to tell");
  }
  const details = { reply_bytes: reply.length };
  if (expected_body !== "" && !reply.includes(bytesOf(expected_body))) {
    return { outcome: "failure", cause: "body", message: "the reply does not hold expected_body", details };
  }
  return { message: `reply of ${reply.length} bytes`, details };
}

/** Text in which `\x00` stands for a byte, `\n`, `\r`, `\t` and `\\` for themselves. */
export function bytesOf(text: string): Buffer {
  const escapes: Record<string, string> = { n: "\n", r: "\r", t: "\t", "\\": "\\" };
  const parts = text.split(/(\\x[0-9a-f]{2}|\\[nrt\\])/i).map((part) => {
    if (/^\\x[0-9a-f]{2}$/i.test(part)) return Buffer.from(part.slice(2), "hex");
    return Buffer.from(part.length === 2 && part.startsWith("\\") ? (escapes[part[1] ?? ""] ?? part) : part);
  });
  return Buffer.concat(parts);
}
