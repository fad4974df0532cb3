import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";

const SCRIPT = `
export default {
  fetch: (_request, env) => new Response(env.BODY, { headers: { "Content-Type": "text/html; charset=utf-8" } }),
};
`;

export interface ConstantService extends AsyncDisposable {
  href: string;
}

/** A Worker that has nothing to do but return these bytes: what this machine can serve at most. */
export async function startConstant(body: string): Promise<ConstantService> {
  const dir = mkdtempSync(join(tmpdir(), "vigil-constant-"));
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      name: "constant",
      modules: true,
      script: SCRIPT,
      compatibilityDate: "2026-08-01",
      bindings: { BODY: body },
      host: "127.0.0.1",
      port: 0,
      resourcePersistencePath: dir,
      cf: false,
      telemetry: { enabled: false },
    }),
  );
  const { href } = await runtime.ready;
  return {
    href,
    async [Symbol.asyncDispose]() {
      await runtime.dispose();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
