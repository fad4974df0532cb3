import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify, stripVTControlCharacters } from "node:util";
import { Refusal } from "../local/command-error.ts";
import { PROJECT_ROOT, WRANGLER } from "../local/paths.ts";
import { type ListPage, NotSignedIn, type Platform, PlatformError } from "./platform.ts";

const API = "https://api.cloudflare.com/client/v4";
const API_TIMEOUT_MS = 60_000;
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

interface Answer {
  success: boolean;
  result: unknown;
  result_info?: ListPage["info"];
  errors?: { code: number; message: string }[];
}

/** Cloudflare, with the API token of the environment or the account that `wrangler login` signed in. */
export function createCloudflare(env: NodeJS.ProcessEnv): Platform {
  let authorization: Promise<string> | undefined;
  const wrangler = (args: readonly string[]) => runWrangler(args, env);
  // Wrangler reads the same variable.
  const { CLOUDFLARE_API_BASE_URL: base = API } = env;
  const send = async (method: string, path: string, body?: object) => {
    authorization ??= authorizationOf(env, wrangler);
    return fetch(base + path, {
      method,
      headers: { authorization: await authorization, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(API_TIMEOUT_MS),
    });
  };
  const call = async (method: string, path: string, body?: object) =>
    answerOf(await send(method, path, body), `${method} ${path}`);
  return {
    wrangler,
    async api(method, path, body) {
      return (await call(method, path, body)).result;
    },
    async list(path) {
      const { result, result_info: info } = await call("GET", path);
      return { entries: Array.isArray(result) ? result : [], info };
    },
    async analytics(query, variables) {
      const answer = (await (await send("POST", "/graphql", { query, variables })).json()) as { data: unknown };
      return answer.data ?? undefined;
    },
    fetch: (url, init) => fetch(url, { ...init, signal: AbortSignal.timeout(API_TIMEOUT_MS) }),
    sleep: (ms) => sleep(ms),
  };
}

async function answerOf(response: Response, request: string): Promise<Answer> {
  const text = await response.text();
  const answer = parseAnswer(text);
  if (response.ok && answer?.success) return answer;
  const errors = answer?.errors ?? [];
  const reasons = errors.map(({ code, message }) => `${message} (${code})`).join("; ") || text.slice(0, 200);
  const { status } = response;
  throw new PlatformError(`${request}: ${status} ${reasons}`, { status, codes: errors.map(({ code }) => code) });
}

function parseAnswer(text: string): Answer | undefined {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return undefined;
  }
}

async function runWrangler(args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const quiet = { WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true", CI: "1", NO_COLOR: "1" };
  const options = { cwd: PROJECT_ROOT, env: { ...env, ...quiet }, maxBuffer: OUTPUT_BYTES_MAX };
  try {
    return (await promisify(execFile)(process.execPath, [WRANGLER, ...args], options)).stdout;
  } catch (error) {
    const output = error instanceof Error && "stderr" in error ? stripVTControlCharacters(`${error.stderr}`) : "";
    throw new Refusal(`wrangler ${args.slice(0, 3).join(" ")} failed: ${output.trim() || error}`);
  }
}

async function authorizationOf(env: NodeJS.ProcessEnv, wrangler: (args: string[]) => Promise<string>): Promise<string> {
  if (env.CLOUDFLARE_API_TOKEN) return `Bearer ${env.CLOUDFLARE_API_TOKEN}`;
  try {
    const { token } = JSON.parse(await wrangler(["auth", "token", "--json"])) as { token?: string };
    if (token) return `Bearer ${token}`;
  } catch {
    // Said below in the words of this command.
  }
  throw new NotSignedIn();
}
