import {
  BODY_SHOWN_MAX,
  OBSERVED_ADDRESSES_MAX,
  OBSERVED_HEADERS_MAX,
  type Observation,
  type Phases,
} from "../contract/observation.ts";
import { PHASES, type PhaseTimes } from "../contract/phases.ts";
import { maskTokens } from "../lib/mask-tokens.ts";
import { printable } from "../lib/printable.ts";
import type { NetRequest, NetResponse, Noticed } from "../net/port.ts";

const MASK = "***";
const LINE_MAX = 500;
const STATUS_LINE_MAX = 200;
const NAME_MAX = 100;
const VALUE_MAX = 200;
/** Of the headers that a monitor sends, only these say nothing in confidence. */
const PLAIN = new Set(["accept", "accept-encoding", "accept-language", "cache-control", "content-type", "user-agent"]);
/** Of an answer, what names a session. */
const SESSIONS = new Set(["set-cookie", "www-authenticate", "proxy-authenticate", "authentication-info"]);
const LETTERS_MIN = 0.5;

type Head = NonNullable<Observation["request"]>;
type Conceal = (text: string) => string;

/** Gathers what a check saw. What later requests of the same check notice takes the place of what earlier ones did. */
export class Observer {
  #noticed: Noticed = {};
  #request: NetRequest | undefined;
  #response: NetResponse | undefined;
  /** Once a request was sent, connections beside it only explain how it went. */
  #hasRequest = false;

  readonly notice = (noticed: Noticed): void => {
    if (!this.#noticed.ends) this.#noticed = { ...this.#noticed, ...noticed };
  };

  /** Null: what the connection notices is not of the check itself. */
  get connectionNotice(): typeof this.notice | null {
    return this.#hasRequest ? null : this.notice;
  }

  begin(request: NetRequest): void {
    if (this.#noticed.ends) return;
    this.#noticed = {};
    this.#hasRequest = true;
    this.#request = request;
    this.#response = undefined;
  }

  answer(response: NetResponse): void {
    if (!this.#noticed.ends) this.#response = response;
  }

  /** Null where nothing was measured. */
  times(): PhaseTimes | null {
    const phases = phasesOf(this.#noticed);
    return phases && PHASES.map((phase) => phases[phase]);
  }

  /** `body` is what the answer began with; `conceal` hides what the request carried in confidence. */
  observed(body: string | null, conceal: Conceal): Observation {
    const { lookup, connection, tls } = this.#noticed;
    const phases = phasesOf(this.#noticed);
    const text = body === null ? null : shownBody(conceal(body));
    return {
      ...(lookup && { lookup: { ...lookup, answers: lookup.answers.slice(0, OBSERVED_ADDRESSES_MAX) } }),
      ...(connection && { connection }),
      ...(tls && { tls }),
      ...(this.#request && { request: shownRequest(this.#request, conceal) }),
      ...(this.#response && { response: shownResponse(this.#response, conceal) }),
      ...(text !== null && { body: text }),
      ...(phases && { phases }),
    };
  }
}

function phasesOf({ lookup, connect_ms, tls_ms, first_byte_ms, transfer_ms, undivided_ms }: Noticed): Phases | null {
  const [lookup_ms, measured] = [lookup?.latency_ms, [connect_ms, tls_ms, first_byte_ms, transfer_ms, undivided_ms]];
  if (lookup_ms == null && measured.every((each) => each === undefined)) return null;
  return {
    lookup_ms: lookup_ms ?? null,
    connect_ms: connect_ms ?? null,
    tls_ms: tls_ms ?? null,
    first_byte_ms: first_byte_ms ?? null,
    transfer_ms: transfer_ms ?? null,
    undivided_ms: undivided_ms ?? null,
  };
}

/** Values in a query are as likely credentials as not. */
function shownRequest({ method, url, headers }: NetRequest, conceal: Conceal): Head {
  const query = url.search.replace(/=[^&]*/g, `=${MASK}`);
  const address = maskTokens(conceal(`${url.origin}${url.pathname}`));
  const shown = Object.entries(headers).map(([name, value]): [string, string] => {
    return [name, PLAIN.has(name.toLowerCase()) ? maskTokens(conceal(value)) : MASK];
  });
  return { line: `${method} ${address}${query}`.slice(0, LINE_MAX), headers: cut(shown) };
}

function shownResponse({ status, status_text = "", headers }: NetResponse, conceal: Conceal): Head {
  const shown = [...headers].map(([name, value]): [string, string] => {
    return [name, SESSIONS.has(name) ? MASK : maskTokens(conceal(value))];
  });
  const line = `HTTP ${status} ${printable(status_text)}`.trim().slice(0, STATUS_LINE_MAX);
  return { line, headers: cut(shown) };
}

function cut(headers: [name: string, value: string][]): Head["headers"] {
  return headers
    .slice(0, OBSERVED_HEADERS_MAX)
    .map(([name, value]) => [printable(name).slice(0, NAME_MAX), printable(value).slice(0, VALUE_MAX)]);
}

/** Null for what is no text. */
function shownBody(body: string): string | null {
  const beginning = body.slice(0, BODY_SHOWN_MAX);
  const text = printable(beginning.replaceAll("\u{FFFD}", ""));
  return text === "" || text.length < beginning.length * LETTERS_MIN ? null : maskTokens(text).slice(0, BODY_SHOWN_MAX);
}
