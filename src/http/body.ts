import { ApiError, invalid, unsupportedMediaType } from "../contract/errors.ts";
import { concatenate } from "../lib/bytes.ts";
import { isDeeperThan, JSON_DEPTH_MAX } from "../lib/json-depth.ts";

export const BODY_BYTES_MAX = 1024 * 1024;
const FORM_BYTES_MAX = 64 * 1024;
const DRAINED_BYTES_MAX = 32 * BODY_BYTES_MAX;

/** A handler runs again after a race, when the stream of its request is consumed. */
const known = new WeakMap<Request, Uint8Array>();

/** The body as bytes, read no further than the limit. */
export async function readRequestBody(request: Request, bytesMax: number): Promise<Uint8Array> {
  const before = known.get(request);
  if (before) return before;
  const tooLarge = new ApiError(413, `the body is larger than ${bytesMax} bytes`, { code: "too_large" });
  if (Number(request.headers.get("content-length") ?? 0) > bytesMax) throw tooLarge;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body?.values({ preventCancel: true }) ?? []) {
    length += chunk.byteLength;
    if (length > bytesMax) throw tooLarge;
    chunks.push(chunk);
  }
  const bytes = concatenate(chunks);
  known.set(request, bytes);
  return bytes;
}

/**
 * Takes what is left of a body and throws it away. The runtime closes the connection when much of a body is unread at the
 * answer, and a client that is still sending then sees a broken connection instead of the refusal.
 */
export async function drain(request: Request): Promise<void> {
  if (!request.body || request.body.locked) return;
  let length = 0;
  try {
    for await (const chunk of request.body) {
      length += chunk.byteLength;
      if (length > DRAINED_BYTES_MAX) return;
    }
  } catch {
    // The client disconnected, or the body is already consumed.
  }
}

/** What a browser's form sent. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  if (!isFormType(request.headers.get("content-type"))) throw unsupportedMediaType("a form");
  return parseForm(await readRequestBody(request, FORM_BYTES_MAX));
}

export function isFormType(contentType: string | null): boolean {
  return /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(contentType ?? "");
}

export function parseForm(bytes: Uint8Array): URLSearchParams {
  const form = new URLSearchParams(new TextDecoder().decode(bytes));
  for (const [name, value] of form) refuseUnstorableText(value, name);
  return form;
}

/** Parses a JSON body; everything that is not well-formed UTF-8 JSON of reasonable depth is the caller's mistake. */
export function parseJsonBody(contentType: string | null, bytes: Uint8Array): unknown {
  if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType ?? "")) {
    throw unsupportedMediaType();
  }
  const text = decodeText(bytes);
  if (isDeeperThan(text, JSON_DEPTH_MAX)) throw invalid(`the body is nested deeper than ${JSON_DEPTH_MAX} levels`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid("the body is not valid JSON");
  }
  refuseUnstorable(value, "");
  return value;
}

const YAML_TYPE = /^(?:application\/(?:[\w.-]+\+)?(?:x-)?yaml|text\/(?:x-)?yaml)\s*(?:;|$)/i;

export function isYamlType(contentType: string | null): boolean {
  return YAML_TYPE.test(contentType ?? "");
}

/** Parses a YAML body to the value that JSON would have. Few bodies are, so that no isolate starts with the parser. */
export async function parseYamlBody(bytes: Uint8Array): Promise<unknown> {
  const { parseYaml } = await import("../platform/yaml.ts");
  const value = parseYaml(decodeText(bytes));
  refuseUnstorable(value, "");
  return value;
}

/** The same request, whose body was read before, as one with a JSON body. */
export function withJsonType(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.set("content-type", "application/json");
  return new Request(request.url, { method: request.method, headers });
}

function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw invalid("the body is not valid UTF-8");
  }
}

/** JSON can say what no store keeps as it is: halves of characters, NUL, and numbers that come back as others. */
function refuseUnstorable(value: unknown, at: string): void {
  if (typeof value === "string") refuseUnstorableText(value, at);
  else if (typeof value === "number") {
    if (Math.abs(value) > Number.MAX_SAFE_INTEGER) throw unstorable(at, "must not be beyond 9007199254740991");
  } else if (Array.isArray(value)) {
    value.forEach((element: unknown, n) => {
      refuseUnstorable(element, `${at}[${n}]`);
    });
  } else if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      refuseUnstorableText(name, at);
      refuseUnstorable(member, at === "" ? name : `${at}.${name}`);
    }
  }
}

function refuseUnstorableText(text: string, at: string): void {
  if (text.includes("\0") || !text.isWellFormed()) {
    throw unstorable(at, "must not contain NUL or half of a surrogate pair");
  }
}

function unstorable(at: string, message: string): ApiError {
  return invalid(`${at === "" ? "the body" : at} ${message}`, [{ path: at, message }]);
}
