import type { OpenAPIHono } from "@hono/zod-openapi";
import { notFound } from "../contract/errors.ts";
import type { Env } from "../platform/env.ts";
import type { AppEnv } from "./endpoint.ts";

/** The files of Swagger UI that the reference uses; everything else of the package stays unreachable. */
const FILES = ["swagger-ui.css", "swagger-ui-bundle.js"];
const CACHE_CONTROL = "public, max-age=3600";

/** Everything comes from this service; the icons of the style sheet are inline images. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Vigil API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<main id="reference"><noscript>The same as a document: <a href="/openapi.json">openapi.json</a></noscript></main>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

const START = `SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "none",
  filter: true,
  validatorUrl: null,
});
`;

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

  app.get("/docs", (c) => c.html(PAGE, 200, { "Content-Security-Policy": POLICY, "Cache-Control": CACHE_CONTROL }));

  app.get("/docs/", (c) => c.redirect("../docs", 308));

  app.get("/docs/start.js", (c) =>
    c.body(START, 200, { "Content-Type": "text/javascript; charset=utf-8", "Cache-Control": CACHE_CONTROL }),
  );

  app.get("/docs/:file", async (c) => {
    const file = c.req.param("file");
    if (!FILES.includes(file)) throw notFound("route");
    const asset = await c.env.ASSETS.fetch(new URL(`/${file}`, c.req.url));
    return new Response(asset.body, asset);
  });
}
