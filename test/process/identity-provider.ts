import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair } from "jose";
import Provider, { type Context } from "oidc-provider";

export const CLIENT = { client_id: "vigil", client_secret: "a-secret-of-the-client" };

/** A real provider of OpenID Connect on loopback, at which `user` is who signs in, without being asked. */
export async function startIdentityProvider() {
  let handle: ReturnType<Provider["callback"]> = () => {};
  let provider: Provider | undefined;
  const user: Record<string, unknown> & { sub: string } = { sub: "nobody" };
  const server = createServer((request, response) => {
    if (!request.url?.startsWith("/interaction/")) return handle(request, response);
    return provider?.interactionFinished(request, response, { login: { accountId: user.sub } });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${port}`;

  async function open(redirectUri: string): Promise<void> {
    const { privateKey } = await generateKeyPair("RS256", { extractable: true });
    const key = { ...(await exportJWK(privateKey)), alg: "RS256", use: "sig", kid: crypto.randomUUID() };
    provider = new Provider(issuer, {
      clients: [{ ...CLIENT, redirect_uris: [redirectUri] }],
      jwks: { keys: [key] },
      cookies: { keys: ["a key of cookies"] },
      claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_context: Context, { uid }: { uid: string }) => `/interaction/${uid}` },
      findAccount: (_context: Context, accountId: string) => ({
        accountId,
        claims: () => ({ ...user, sub: accountId }),
      }),
      async loadExistingGrant({ oidc }: Context) {
        const grant = new oidc.provider.Grant({
          clientId: oidc.client.clientId,
          accountId: oidc.session.accountId,
        });
        grant.addOIDCScope("openid email profile");
        await grant.save();
        return grant;
      },
    });
    handle = provider.callback();
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
