import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { PagePayload } from "../../src/contract/public-page.ts";
import { ASSETS } from "../../src/status-page/assets.ts";
import { PAGE_POLICY } from "../../src/status-page/responses.ts";
import { buildIncidentView, buildPageView } from "../../src/status-page/view-model.ts";
import { renderIncidentPage, renderMessagePage, renderStatusPage } from "../../src/status-page/views/pages.tsx";
import { NOW } from "./pages.ts";

const TYPES: Record<string, string> = { css: "text/css", js: "text/javascript", svg: "image/svg+xml" };

/** The documents that readers get, with the headers that guard them. */
export function renderDocuments(payload: PagePayload): Record<string, string> {
  const address = { base: "/status/northwind", home: "/status/northwind", url: "https://vigil.test/status/northwind" };
  const viewing = { as_of: NOW, is_stale: false, late: null, address };
  const [incident] = payload.incidents;
  return {
    "/page": renderStatusPage(buildPageView(payload, viewing)),
    "/stale": renderStatusPage(buildPageView(payload, { ...viewing, is_stale: true })),
    "/late": renderStatusPage(buildPageView(payload, { ...viewing, late: { since: NOW - 240_000, for_ms: 240_000 } })),
    "/missing": renderMessagePage("Page not found", "There is no status page at this address."),
    ...(incident ? { "/incident": renderIncidentPage(buildIncidentView(incident, payload, viewing)) } : {}),
  };
}

/** Serves the documents of each payload under its name. */
export async function startServer(payloads: Record<string, PagePayload>) {
  const documents = new Map<string, string>();
  for (const [name, payload] of Object.entries(payloads)) {
    for (const [path, html] of Object.entries(renderDocuments(payload))) documents.set(`/${name}${path}`, html);
  }
  const server = createServer((req, res) => {
    const html = documents.get(req.url ?? "");
    const asset = ASSETS.find(({ address }) => address === req.url);
    if (asset) {
      res.writeHead(200, { "content-type": TYPES[asset.address.split(".").at(-1) ?? ""] }).end(asset.text);
    } else if (html !== undefined) {
      res
        .writeHead(200, { "content-type": "text/html; charset=utf-8", "content-security-policy": PAGE_POLICY })
        .end(html);
    } else res.writeHead(204).end();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => new Promise<void>((done) => server.close(() => done())),
  };
}
