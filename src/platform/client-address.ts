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

/** Where the platform supposes the client to be, as "Berlin, DE"; null where it says nothing. */
export function clientPlaceOf(request: Request): string | null {
  const { city, country } = (request.cf ?? {}) as { city?: string; country?: string };
  return [city, country].filter(Boolean).join(", ") || null;
}
