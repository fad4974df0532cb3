import { z } from "zod";
import { sha256Hex } from "../platform/credentials.ts";
import { type Endpoint, endpoint } from "./endpoint.ts";
import { document } from "./responses.ts";
import { IMMUTABLE } from "./security-headers.ts";

/** A style sheet, script or icon that pages refer to. */
export interface Asset {
  text: string;
  /** Contains the hash of the text, so that browsers may keep it without asking again. */
  address: string;
}

const TYPES = { css: "text/css; charset=utf-8", js: "text/javascript; charset=utf-8", svg: "image/svg+xml" };
type AssetType = keyof typeof TYPES;

export function defineAsset(folder: string, type: AssetType, text: string): Asset {
  return { text, address: `/assets/${folder}/${sha256Hex(text).slice(0, 16)}.${type}` };
}

/** The endpoint of the assets of a folder. */
export function assetEndpoint(
  folder: string,
  assets: readonly Asset[],
  route: { tag: string; summary: string },
): Endpoint {
  return endpoint(
    { at: ["root"], auth: "public", permission: null, audit: null, rate: "public" },
    {
      method: "get",
      path: `/assets/${folder}/{file}`,
      tags: [route.tag],
      summary: route.summary,
      request: { params: z.object({ file: z.string() }) },
      responses: { 200: document("The asset", "text/css"), 404: document("No such asset", "text/plain") },
    },
    (c) => serveAsset(assets, c.req.valid("param").file),
  );
}

/** A document from before a deployment still gets an asset of the type that it names, which it may keep for a minute. */
function serveAsset(assets: readonly Asset[], file: string): Response {
  const current = assets.find(({ address }) => address.endsWith(`/${file}`));
  const type = file.slice(file.lastIndexOf(".") + 1);
  const asset = current ?? assets.find(({ address }) => address.endsWith(`.${type}`));
  if (!asset) return new Response("not found", { status: 404 });
  const headers = {
    "Content-Type": TYPES[type as AssetType],
    "Cache-Control": current ? IMMUTABLE : "public, max-age=60",
  };
  return new Response(asset.text, { headers });
}
