import { exports } from "cloudflare:workers";
import { expectDeclared } from "./declared.ts";

export const ORIGIN = "http://vigil.test";

export interface Shown {
  status: number;
  headers: Headers;
  text: string;
}

/** A browser as far as pages without scripts need one: it keeps the cookie and says where a form comes from. */
export function createBrowser({ origin = ORIGIN, ...fixed }: Record<string, string> = {}) {
  let cookie = "";
  const send = async (method: string, path: string, body: string | null, headers: Record<string, string>) => {
    const sent = { ...fixed, ...(cookie ? { cookie } : {}), ...headers };
    const response = await exports.default.fetch(ORIGIN + path, { method, body, headers: sent, redirect: "manual" });
    const text = await response.text();
    expectDeclared({ method, path, status: response.status, headers: response.headers, body: text });
    const given = response.headers.get("set-cookie");
    if (given !== null) cookie = /Max-Age=0/.test(given) ? "" : (given.split(";")[0] ?? "");
    return { status: response.status, headers: response.headers, text } satisfies Shown;
  };
  return {
    open: (path: string) => send("GET", path, null, {}),
    submit: (path: string, fields: Record<string, string> = {}) =>
      send("POST", path, new URLSearchParams(fields).toString(), {
        "content-type": "application/x-www-form-urlencoded",
        ...(origin ? { origin } : {}),
      }),
    hasCookie: () => cookie !== "",
  };
}
export type Browser = ReturnType<typeof createBrowser>;
