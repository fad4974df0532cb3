import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CLIENT, startIdentityProvider } from "./identity-provider.ts";
import { type Service, START_TIMEOUT_MS, startService } from "./support.ts";

/** `npm start` and a real provider of OpenID Connect, between which a browser goes to and fro. */
let provider: Awaited<ReturnType<typeof startIdentityProvider>>;
let service: Service;
const callback = () => `${service.url}/app/sign-in/with/works/callback`;

beforeAll(async () => {
  provider = await startIdentityProvider();
  const works = { id: "works", issuer: provider.issuer, ...CLIENT, account_domains: ["works.example"] };
  const misnamed = { ...works, id: "misnamed", issuer: `http://localhost:${provider.port}` };
  service = await startService({
    env: {
      EGRESS_ALLOW: "127.0.0.1,localhost",
      OIDC_PROVIDERS: JSON.stringify([works, misnamed]),
      RATE_LIMITS: "all=off",
    },
  });
  await provider.open(callback());
}, START_TIMEOUT_MS);
afterAll(async () => {
  await service.stop();
  await provider.stop();
});
beforeEach(() => {
  const sub = crypto.randomUUID();
  Object.assign(provider.user, { sub, email: `${sub}@works.example`, email_verified: true, name: "Ada" });
});

/** Follows redirects and keeps cookies by host, until an address for which `stopAt` holds. */
function createBrowser() {
  const jars = new Map<string, Map<string, string>>();
  return async function open(address: string, stopAt: (url: URL) => boolean = () => false) {
    for (let url = new URL(address), hops = 0; hops < 20; hops++) {
      if (stopAt(url)) return { url, status: 0, text: "" };
      const jar = jars.get(url.host) ?? new Map<string, string>();
      jars.set(url.host, jar);
      const cookie = [...jar].map((pair) => pair.join("=")).join("; ");
      const response = await fetch(url, { redirect: "manual", headers: cookie ? { cookie } : {} });
      for (const given of response.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(given) ?? [];
        if (value === "" || /Max-Age=0/i.test(given)) jar.delete(name);
        else jar.set(name, value);
      }
      const location = response.headers.get("location");
      const text = await response.text();
      if (location === null) return { url, status: response.status, text };
      url = new URL(location, url);
    }
    throw new Error("too many redirects");
  };
}

const begin = () => `${service.url}/app/sign-in/with/works?next=/app/account`;
const isCallback = (url: URL) => url.href.startsWith(callback());

describe("a provider of OpenID Connect", () => {
  it("signs people in, the first time with a new account, and knows them by their subject", async () => {
    const shown = await createBrowser()(begin());
    const { email } = provider.user;
    expect([shown.status, shown.url.pathname]).toEqual([200, "/app/account"]);
    expect(shown.text).toContain(email);
    provider.user.email = "renamed@works.example";
    expect((await createBrowser()(begin())).text).toContain(email);
  });

  it("gives nobody the account of somebody else with its address, or one by an address that is not verified", async () => {
    await createBrowser()(begin());
    provider.user.sub = crypto.randomUUID();
    expect((await createBrowser()(begin())).status).toBe(403);
    Object.assign(provider.user, { email: "new@works.example", email_verified: false });
    expect((await createBrowser()(begin())).status).toBe(403);
  });

  it("signs in once by each answer, and only the browser that asked", async () => {
    const browser = createBrowser();
    const { url } = await browser(begin(), isCallback);
    expect((await createBrowser()(url.href)).status).toBe(400);
    expect((await browser(url.href)).status).toBe(200);
    expect((await browser(url.href)).status).toBe(400);
  });

  it("is not taken for another one, nor believed under a name that it does not give itself", async () => {
    const browser = createBrowser();
    const { url } = await browser(begin(), isCallback);
    expect((await browser(url.href.replace("/works/", "/misnamed/"))).status).toBe(400);
    expect((await createBrowser()(`${service.url}/app/sign-in/with/misnamed`)).status).toBe(400);
    await expect.poll(() => service.logs()).toContain("sign-in by a provider failed");
  });

  it("signs in also after it changed its keys", async () => {
    await createBrowser()(begin());
    await provider.open(callback());
    expect((await createBrowser()(begin())).status).toBe(200);
  });

  it("that does not answer is said to be away", async () => {
    const browser = createBrowser();
    const { url } = await browser(begin(), isCallback);
    await provider.stop();
    expect((await browser(url.href)).status).toBe(503);
  });
});
