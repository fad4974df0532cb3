/** A host as certificates name it: in ASCII, without brackets and final dot. */
export function nameIn(host: string): string {
  return new URL(`https://${host}`).hostname.replace(/^\[|\]$|\.$/g, "");
}

/** Of a host as `nameIn` gives it. */
export function isAddress(name: string): boolean {
  return /^[\d.]+$|:/.test(name);
}

/** What to put into the extension of that name, which is for names alone (RFC 6066, section 3). */
export function serverName(host: string): string {
  const name = nameIn(host);
  return isAddress(name) ? "" : name;
}
