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

/** The network that the platform supposes a client to be in. */
export interface ClientNetwork {
  /** Of its autonomous system. */
  asn: number | null;
  /** Of the organization that runs it. */
  name: string | null;
  /** Two letters of ISO 3166-1. */
  country: string | null;
}

/** Null where the platform says nothing, as the runtime of `npm start`. */
export function clientNetworkOf(request: Request): ClientNetwork | null {
  const { asn, asOrganization, country } = (request.cf ?? {}) as {
    asn?: number;
    asOrganization?: string;
    country?: string;
  };
  if (!asn && !asOrganization && !country) return null;
  return { asn: asn || null, name: asOrganization?.slice(0, 200) || null, country: country || null };
}

/** Where the platform supposes the client to be, as "Berlin, DE"; null where it says nothing. */
export function clientPlaceOf(request: Request): string | null {
  const { city, country } = (request.cf ?? {}) as { city?: string; country?: string };
  return [city, country].filter(Boolean).join(", ") || null;
}
