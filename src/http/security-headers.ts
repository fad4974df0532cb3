/** What every answer carries beside the headers of its own; also those files that the platform serves without the Worker. */
export const SECURITY_HEADERS: readonly (readonly [name: string, value: string])[] = Object.entries({
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
  // What other sites may include says so itself: badges, feeds, the embedded state.
  "Cross-Origin-Resource-Policy": "same-origin",
});

/** Of files whose address contains the hash of their content. */
export const IMMUTABLE = "public, max-age=31536000, immutable";
