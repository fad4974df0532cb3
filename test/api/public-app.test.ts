import { createExecutionContext, env, waitOnExecutionContext } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { createApp, ENDPOINTS } from "../../src/app.ts";
import { isPublicAddress } from "../../src/domain/page-address.ts";
import { SURFACES } from "../../src/http/endpoint.ts";
import { getPublicApp, PUBLIC_ENDPOINTS } from "../../src/public-app.ts";
import { createShop } from "../support/pages.ts";

const SERVICE = "http://vigil.test";
const bindings = { ...env, PUBLIC_URL: SERVICE };
const REQUEST_ID = /"request_id":"[^"]+"/;

async function answer(app: Pick<ReturnType<typeof createApp>, "fetch">, path: string, init: RequestInit) {
  const context = createExecutionContext();
  const response = await app.fetch(new Request(SERVICE + path, { ...init, redirect: "manual" }), bindings, context);
  const { status, headers } = response;
  const text = (await response.text()).replace(REQUEST_ID, "");
  await waitOnExecutionContext(context);
  const known = ["content-type", "content-security-policy", "cache-control", "allow", "location", "etag"];
  return { status, headers: known.map((name) => headers.get(name)), text };
}

describe("the app of public pages", () => {
  it("has all that the service answers under its addresses", () => {
    const served = ENDPOINTS.flatMap(({ policy, path }) => policy.at.map((surface) => SURFACES[surface] + path));
    const own = new Set(PUBLIC_ENDPOINTS.map(({ path }) => path));
    expect(served.filter((path) => isPublicAddress(SERVICE + path, SERVICE) && !own.has(path))).toEqual([]);
    expect([...own].filter((path) => !isPublicAddress(SERVICE + path, SERVICE))).toEqual([
      "/app/pages/new/preview",
      "/app/pages/{id}/preview",
    ]);
  });

  it("answers them as the whole app does", async () => {
    const { path, page, monitor } = await createShop();
    const requests: [path: string, init?: RequestInit][] = [
      [path],
      [path, { headers: { accept: "application/json" } }],
      [path, { method: "HEAD" }],
      [path, { method: "PUT" }],
      [`${path}/`],
      [`${path}/history`],
      [`${path}/history.atom`],
      [`${path}/subscribe`],
      [`${path}/nothing/at/all`],
      [
        `${path}/unlock`,
        { method: "POST", body: "password=x", headers: { "content-type": "application/x-www-form-urlencoded" } },
      ],
      ["/status/no-such-page"],
      ["/status/no-such-page", { headers: { accept: "application/json" } }],
      [`/badge/${monitor.id}/status.svg`],
      [`/badge/${monitor.id}/nothing.svg`],
      [`/embed/${page.slug}`],
      ["/assets/status-page/nothing.css"],
    ];
    for (const [at, init = {}] of requests) {
      const [whole, own] = [await answer(createApp(), at, init), await answer(getPublicApp(), at, init)];
      expect([init.method, at, own]).toEqual([init.method, at, whole]);
    }
  });
});
