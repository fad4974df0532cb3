import { exports } from "cloudflare:workers";
import { expectDeclared } from "./declared.ts";

export const ORIGIN = "http://vigil.test";

export interface Shown {
  status: number;
  headers: Headers;
  text: string;
}

/** Answers a request, as the worker under test does. */
export type Answering = (request: Request<unknown, IncomingRequestCfProperties>) => Promise<Response>;

/** A browser as far as pages without scripts need one: it keeps cookies and says where a form comes from. */
export function createBrowser(
  { origin = ORIGIN, cookie: given = "", ...fixed }: Record<string, string> = {},
  answer: Answering = (request) => exports.default.fetch(request),
) {
  const cookies = new Map<string, string>(
    given === "" ? [] : [[given.split("=", 1)[0] ?? "", given.replace(/^[^=]*=/, "")]],
  );
  const send = async (method: string, path: string, body: string | null, headers: Record<string, string>) => {
    const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
    const sent = { ...fixed, ...(cookie ? { cookie } : {}), ...headers };
    const response = await answer(new Request(ORIGIN + path, { method, body, headers: sent, redirect: "manual" }));
    const text = await response.text();
    expectDeclared({ method, path, status: response.status, headers: response.headers, body: text });
    for (const given of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(given) ?? [];
      if (/Max-Age=0/.test(given)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return { status: response.status, headers: response.headers, text } satisfies Shown;
  };
  return {
    open: (path: string, headers: Record<string, string> = {}) => send("GET", path, null, headers),
    submit: (
      path: string,
      fields: Record<string, string> | [string, string][] = {},
      headers: Record<string, string> = {},
    ) =>
      send("POST", path, new URLSearchParams(fields).toString(), {
        "content-type": "application/x-www-form-urlencoded",
        ...(origin ? { origin } : {}),
        ...headers,
      }),
    cookies: () => [...cookies].map((pair) => pair.join("=")).join("; "),
    hasCookie: () => cookies.has("vigil_session"),
  };
}
export type Browser = ReturnType<typeof createBrowser>;
