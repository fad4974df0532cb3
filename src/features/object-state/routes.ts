import { ObjectStateRead, ObjectStateWrite } from "../../contract/object-state.ts";
import { now } from "../../platform/clock.ts";
import type { Env } from "../../platform/env.ts";
import { monitorObject } from "../../platform/monitor-objects.ts";
import { objectState } from "../../platform/object-states.ts";
import {
  digestOfBody,
  OPERATOR_HEADER,
  OPERATOR_VALID_MS,
  type OperatorClaim,
  readOperatorClaim,
} from "../../platform/operator-signature.ts";
import { settingsOf } from "../../platform/settings.ts";

const READ = "/operator/objects/read";
const WRITE = "/operator/objects/write";
/** Of a page of state, which is about 1 MB, and its base64. */
const BODY_BYTES_MAX = 8 << 20;
/** No row has this version, so the object reads it. */
const NEWEST_VERSION = Number.MAX_SAFE_INTEGER;

/**
 * Answers `npm run backup` and `npm run deploy`, which read and write the state of objects, by requests that they sign with
 * the root secret. To everybody else these addresses do not exist, so the answer is that of the API to any unknown one.
 */
export function answerOperator(request: Request, env: object | undefined): Promise<Response> | undefined {
  const header = request.headers.get(OPERATOR_HEADER);
  // First, because every request of the service passes here.
  if (header === null || env === undefined || request.method !== "POST") return undefined;
  const { pathname: path } = new URL(request.url);
  if (path !== READ && path !== WRITE) return undefined;
  const { ROOT_SECRET } = settingsOf(env);
  const claim = readOperatorClaim(ROOT_SECRET, { method: request.method, path, header, now: now() });
  // The router declares that there may be no bindings; a deployed Worker has them.
  return claim === null ? undefined : answer(request, env as Env, { claim, path });
}

async function answer(request: Request, env: Env, { claim, path }: { claim: OperatorClaim; path: string }) {
  if (Number(request.headers.get("content-length") ?? 0) > BODY_BYTES_MAX) return refusal(413, "the body is too large");
  const body = new Uint8Array(await request.arrayBuffer());
  if (digestOfBody(body) !== claim.digest) return refusal(401, "the body is not the signed one");
  if (!(await isFirst(env, claim))) return refusal(401, "the request was sent before");
  const parsed = parseJson(new TextDecoder().decode(body));
  if (path === READ) {
    const asked = ObjectStateRead.safeParse(parsed);
    if (!asked.success) return refusal(400, "kind, name and cursor are required");
    return Response.json(await objectState(env, asked.data).readState(asked.data.cursor));
  }
  const written = ObjectStateWrite.safeParse(parsed);
  if (!written.success) return refusal(400, "kind, name, page, position and is_last are required");
  const { kind, name, ...state } = written.data;
  const writing = await objectState(env, { kind, name }).writeState(state);
  if (writing === "incomplete") return refusal(400, "pages before this one are missing");
  // Its row may have changed since the backup of its object, or be gone.
  if (kind === "monitor" && writing === "replaced") await monitorObject(env, name).sync(name, NEWEST_VERSION);
  return Response.json({ written: true });
}

/** Each signature is good for one request. An object of its own remembers it for as long as it is valid. */
async function isFirst(env: Env, { nonce }: OperatorClaim): Promise<boolean> {
  const quota = { limit: 1, window_ms: 2 * OPERATOR_VALID_MS, now: now() };
  const limiter = env.LIMITER.getByName(`operator ${nonce}`);
  return (await limiter.take(quota)) === 0;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const refusal = (status: number, error: string) => Response.json({ error }, { status });
