/** A text as it is recorded: its links act in the name of the receiver, and whoever reads it may be allowed less. */
export function withoutPersonalLinks(text: string): string {
  // The bodies of forms have a slash as %2F.
  return text.replace(/((?:\/|%2F)(?:acknowledge|mail-consent)(?:\/|%2F))[\w.-]+/gi, "$1***");
}
