import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair } from "jose";
import Provider, { type Context } from "oidc-provider";

export const CLIENT = { client_id: "vigil", client_secret: "a-secret-of-the-client" };

interface Asking {
  /** In pages with a button each; else nobody is asked. */
  asksPeople?: boolean;
}

/** A real provider of OpenID Connect on loopback, at which `user` is who signs in. */
export async function startIdentityProvider({ asksPeople = false }: Asking = {}) {
  let handle: ReturnType<Provider["callback"]> = () => {};
  let provider: Provider | undefined;
  const user: Record<string, unknown> & { sub: string } = { sub: "nobody" };
  const server = createServer((request, response) => {
    if (!request.url?.startsWith("/interaction/")) return handle(request, response);
    if (provider && asksPeople) return askPerson(provider, request, response);
    return provider?.interactionFinished(request, response, { login: { accountId: user.sub } });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${port}`;

  async function askPerson(asking: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prompt, session, params } = await asking.interactionDetails(request, response);
    if (request.method !== "POST") {
      const words = prompt.name === "login" ? `Sign in as ${user.name}` : "Allow";
      response.writeHead(200, { "content-type": "text/html" });
      response.end(`<!doctype html><title>Works</title><form method="post"><button>${words}</button></form>`);
      return;
    }
    if (prompt.name === "login") {
      return asking.interactionFinished(request, response, { login: { accountId: user.sub } });
    }
    const grant = new asking.Grant({ clientId: String(params.client_id), accountId: session?.accountId ?? "" });
    grant.addOIDCScope("openid email profile");
    return asking.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
  }

  async function open(redirectUri: string, client: Record<string, unknown> = {}): Promise<void> {
    const { privateKey } = await generateKeyPair("RS256", { extractable: true });
    const key = { ...(await exportJWK(privateKey)), alg: "RS256", use: "sig", kid: crypto.randomUUID() };
    provider = new Provider(issuer, {
      clients: [{ ...CLIENT, redirect_uris: [redirectUri], ...client }],
      jwks: { keys: [key] },
      cookies: { keys: ["a key of cookies"] },
      claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_context: Context, { uid }: { uid: string }) => `/interaction/${uid}` },
      findAccount: (_context: Context, accountId: string) => ({
        accountId,
        claims: () => ({ ...user, sub: accountId }),
      }),
      ...(asksPeople ? {} : { loadExistingGrant }),
    });
    handle = provider.callback();
  }

  async function loadExistingGrant({ oidc }: Context) {
    const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
    grant.addOIDCScope("openid email profile");
    await grant.save();
    return grant;
  }

  return {
    issuer,
    port,
    user,
    /** Accepts people from this address alone. A second time it comes back with other keys, and has forgotten the rest. */
    open,
    stop: () => new Promise<void>((done) => server.close(() => done())),
  };
}
