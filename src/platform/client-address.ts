/**
 * The platform writes the address of the client into a header, and overwrites what a client sends under its name. The
 * runtime of `npm start` states the address and the port beside the request instead.
 */
export function clientAddressOf(request: Request): string | null {
  const named = request.headers.get("cf-connecting-ip");
  if (named !== null) return named;
  const { clientIp } = (request.cf ?? {}) as { clientIp?: string };
  return clientIp?.replace(/:\d+$/, "").replace(/^\[|\]$/g, "") ?? null;
}
