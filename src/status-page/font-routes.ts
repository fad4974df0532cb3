import { z } from "zod";
import { endpoint } from "../http/endpoint.ts";
import { document } from "../http/responses.ts";
import { IMMUTABLE } from "../http/security-headers.ts";

/** The fonts of every page of the service; they lie where the domains of status pages reach them, too. */
export const endpoints = [
  endpoint(
    { at: ["root"], auth: "public", permission: null, audit: null, rate: "public" },
    {
      method: "get",
      path: "/assets/status-page/fonts/{file}",
      tags: ["Public pages"],
      summary: "Get a font of pages",
      request: { params: z.object({ file: z.string() }) },
      responses: { 200: document("The font", "font/woff2"), 404: document("No such font", "text/plain") },
    },
    async (c) => {
      const { file } = c.req.valid("param");
      const isName = /^inter-[a-z-]+-[0-9a-f]{16}\.woff2$/.test(file);
      const font = isName
        ? await c.env.ASSETS.fetch(`https://assets.invalid/assets/status-page/fonts/${file}`)
        : undefined;
      if (!font?.ok) {
        await font?.body?.cancel();
        return new Response("not found", { status: 404 });
      }
      const headers = { "Content-Type": "font/woff2", "Cache-Control": IMMUTABLE };
      return new Response(font.body, { headers });
    },
  ),
];
