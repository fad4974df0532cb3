import { sha256Hex } from "../platform/credentials.ts";

export interface Stylesheet {
  text: string;
  /** Its hash is part of it, so that browsers may keep the sheet for good. */
  address: string;
}

export function defineStylesheet(folder: string, text: string): Stylesheet {
  return { text, address: `/assets/${folder}/${sha256Hex(text).slice(0, 16)}.css` };
}

/** A document from before a deployment still gets a sheet, but keeps it briefly. */
export function serveStylesheet({ text, address }: Stylesheet, file: string): Response {
  const isCurrent = address.endsWith(`/${file}`);
  const headers = {
    "Content-Type": "text/css; charset=utf-8",
    "Cache-Control": isCurrent ? "public, max-age=31536000, immutable" : "public, max-age=60",
  };
  return new Response(text, { headers });
}
