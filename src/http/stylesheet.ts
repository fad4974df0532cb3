import { z } from "zod";
import { sha256Hex } from "../platform/credentials.ts";
import { type Endpoint, endpoint } from "./endpoint.ts";
import { document } from "./responses.ts";

export interface Stylesheet {
  text: string;
  /** Contains the hash of the text, so that browsers may keep it without asking again. */
  address: string;
}

export function defineStylesheet(folder: string, text: string): Stylesheet {
  return { text, address: `/assets/${folder}/${sha256Hex(text).slice(0, 16)}.css` };
}

export function stylesheetEndpoint(sheet: Stylesheet, route: { tag: string; summary: string }): Endpoint {
  const folder = sheet.address.slice(0, sheet.address.lastIndexOf("/"));
  return endpoint(
    { at: ["root"], auth: "public", permission: null, audit: null, rate: "public" },
    {
      method: "get",
      path: `${folder}/{file}`,
      tags: [route.tag],
      summary: route.summary,
      request: { params: z.object({ file: z.string() }) },
      responses: { 200: document("The style sheet", "text/css") },
    },
    (c) => serveStylesheet(sheet, c.req.valid("param").file),
  );
}

/** A document from before a deployment still gets a style sheet, which it may keep for a minute. */
function serveStylesheet({ text, address }: Stylesheet, file: string): Response {
  const isCurrent = address.endsWith(`/${file}`);
  const headers = {
    "Content-Type": "text/css; charset=utf-8",
    "Cache-Control": isCurrent ? "public, max-age=31536000, immutable" : "public, max-age=60",
  };
  return new Response(text, { headers });
}
