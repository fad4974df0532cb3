import type { OpenAPIHono } from "@hono/zod-openapi";
import { notFound } from "../contract/errors.ts";
import type { Env } from "../platform/env.ts";
import type { AppEnv } from "./endpoint.ts";

const CACHE_CONTROL = "public, max-age=3600";

/** The documents need no script, and take their style from this service. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** What scripts/openapi.ts made; it never changes while an isolate runs. */
let known: string | undefined;

async function readDescription({ ASSETS }: Pick<Env, "ASSETS">): Promise<string> {
  const asset = await ASSETS.fetch("https://assets.invalid/openapi.json");
  if (!asset.ok) throw new Error("the static asset openapi.json is missing; scripts/setup.sh builds it");
  return asset.text();
}

/** `/openapi.json` for programs and `/docs` for people. */
export function mountDocs(app: OpenAPIHono<AppEnv>): void {
  app.get("/openapi.json", async (c) => {
    known ??= await readDescription(c.env);
    // Only the address differs between requests.
    const text = `{"servers":${JSON.stringify([{ url: c.var.publicUrl }])},${known.slice(1)}`;
    const headers = { "Content-Type": "application/json", "Access-Control-Allow-Origin": "*" };
    return c.body(text, 200, { ...headers, "Cache-Control": CACHE_CONTROL });
  });

  app.get("/docs", (c) => sendReference(c.env, "index.html"));

  app.get("/docs/", (c) => c.redirect("../docs", 308));

  app.get("/docs/reference.css", (c) => sendReference(c.env, "reference.css"));

  app.get("/docs/:area", (c) => sendReference(c.env, `${c.req.param("area")}.html`));
}

/** One of the documents that scripts/openapi.ts made. */
async function sendReference({ ASSETS }: Pick<Env, "ASSETS">, name: string): Promise<Response> {
  if (!/^[a-z0-9-]+\.(?:html|css)$/.test(name)) throw notFound("route");
  const asset = await ASSETS.fetch(`https://assets.invalid/reference/${name}.txt`);
  if (!asset.ok) throw notFound("route");
  const type = name.endsWith(".css") ? "text/css" : "text/html";
  return new Response(asset.body, {
    headers: {
      "Content-Type": `${type}; charset=utf-8`,
      "Content-Security-Policy": POLICY,
      "Cache-Control": CACHE_CONTROL,
    },
  });
}
