import { startWorker } from "./worker.ts";

const SCRIPT = `
export default {
  fetch: (_request, env) => new Response(env.BODY, { headers: env.HEADERS }),
};
`;
/** What the runtime writes itself. */
const OF_THE_RUNTIME = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "date",
  "keep-alive",
  "transfer-encoding",
]);

/** What a Worker says to give the same answer again. */
export async function repeatable(answer: Response): Promise<{ headers: Record<string, string>; body: string }> {
  const headers = Object.fromEntries([...answer.headers].filter(([name]) => !OF_THE_RUNTIME.has(name)));
  return { headers, body: await answer.text() };
}

export interface ConstantService extends AsyncDisposable {
  href: string;
  /** Of the body. */
  bytes: number;
}

/**
 * A Worker that has nothing to do but give this answer, of the same size and with the same headers: what this machine can
 * serve at most. Of a short answer, headers are a good part of the work.
 */
export async function startConstant(answer: Response): Promise<ConstantService> {
  const { headers, body } = await repeatable(answer);
  const worker = await startWorker(SCRIPT, { bindings: { BODY: body, HEADERS: headers } });
  return { ...worker, href: `${worker.url}/`, bytes: Buffer.byteLength(body) };
}
