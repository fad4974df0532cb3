import type { Evidence, ProbeResult } from "../contract/check.ts";
import { SECRET_PLACEHOLDER } from "../contract/monitor.ts";
import type { Observation } from "../contract/observation.ts";
import type { PhaseTimes } from "../contract/phases.ts";
import { maskTokens } from "../lib/mask-tokens.ts";
import { readResponseBody } from "../net/http-body.ts";
import type { NetIo, NetResponse, NetSocket } from "../net/port.ts";
import { Observer } from "./observation.ts";

/** What a check saw, kept in case that it fails. */

const EXCERPT_LENGTH = 200;
/** Enough for the excerpt in any encoding, after any white space. */
const READ_MAX = 4096;
const STATUS_LINE_MAX = 200;
const ADDRESSES_MAX = 10;
/** Shorter values are words like "1" or "gzip", which hide nothing and occur everywhere. */
const SECRET_LENGTH_MIN = 6;
/** A server that sends headers and no body must not delay the result. */
const READ_TIMEOUT_MS = 1000;

export function evidenceOf(response: NetResponse, body: string | null): Evidence {
  const { status, status_text = "", addresses = [] } = response;
  return {
    status_line: `HTTP ${status} ${printable(status_text)}`.trim().slice(0, STATUS_LINE_MAX),
    excerpt: body === null ? null : excerptOf(body),
    addresses: addresses.slice(0, ADDRESSES_MAX),
  };
}

/** The beginning of an answer without what may not be seen. */
export function conceal(answer: string, secrets: readonly string[]): string {
  const hidden = secrets.filter((secret) => secret.length >= SECRET_LENGTH_MIN);
  return hidden.reduce((text, secret) => text.replaceAll(secret, SECRET_PLACEHOLDER), answer.slice(0, READ_MAX));
}

/** The beginning of a body that the check did not need; null where none came in time. */
export async function readExcerpt({ body, headers }: NetResponse): Promise<string | null> {
  const limits = { lengthMax: READ_MAX, timeoutMs: READ_TIMEOUT_MS };
  try {
    return (await readResponseBody(body, headers.get("content-type"), limits)).text;
  } catch {
    return null;
  }
}

export interface Recorder {
  io: NetIo;
  /** What the last answer was; undefined before any. */
  seen(): Evidence | undefined;
  /** How long each phase took; null where none was measured. */
  times(): PhaseTimes | null;
  /** All that the check saw, with what its probe knows of the answer. */
  observed(answered: ProbeResult["answered"]): Observation;
}

/** Notes the last response, or the first bytes that the last connection read, of any probe that uses the network. */
export function recordEvidence(io: NetIo, secretsOf: () => string[]): Recorder {
  const observer = new Observer();
  let seen: (() => Evidence) | undefined;
  let spoken: (() => string | null) | undefined;
  return {
    io: {
      ...io,
      notice: observer.notice,
      async fetch(request) {
        observer.begin(request);
        spoken = undefined;
        const response = await io.fetch({ ...request, notice: observer.notice });
        observer.answer(response);
        seen = () => evidenceOf(response, null);
        return response;
      },
      async connect(request) {
        const notice = observer.connectionNotice;
        const socket = await io.connect({ ...request, ...(notice && { notice }) });
        let first: Uint8Array | null = null;
        const said = () => first && conceal(new TextDecoder().decode(first), secretsOf());
        if (notice) spoken = said;
        seen = () => {
          const answer = said();
          return {
            status_line: null,
            excerpt: answer && excerptOf(answer),
            addresses: (socket.addresses ?? []).slice(0, ADDRESSES_MAX),
          };
        };
        return listenTo(socket, (chunk) => {
          first ??= chunk.slice(0, READ_MAX);
        });
      },
    },
    seen: () => seen?.(),
    times: () => observer.times(),
    observed: (answered) => {
      const hide = (text: string) => conceal(answered?.conceal(text) ?? text, secretsOf());
      return observer.observed(answered?.body ?? spoken?.() ?? null, hide);
    },
  };
}

function listenTo(socket: NetSocket, onChunk: (chunk: Uint8Array) => void): NetSocket {
  return {
    latency_ms: socket.latency_ms,
    addresses: socket.addresses,
    async read() {
      const chunk = await socket.read();
      if (chunk) onChunk(chunk);
      return chunk;
    },
    write: (bytes) => socket.write(bytes),
    startTls: () => socket.startTls(),
    close: () => socket.close(),
  };
}

/** Null for what is no text. */
function excerptOf(answer: string): string | null {
  const text = printable(answer.slice(0, READ_MAX));
  if (text === "" || text.length < answer.slice(0, READ_MAX).length / 2) return null;
  return [...maskTokens(text)].slice(0, EXCERPT_LENGTH).join("");
}

/** In one line, without what a terminal or a browser would obey. */
function printable(text: string): string {
  return text
    .replace(/[\p{Cf}\p{Co}\p{Cs}\p{Cn}\u{FFFD}]/gu, "")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
}
