/**
 * A text as it is recorded: its links act in the name of the receiver, and a reader of the record may have fewer
 * rights.
 */
export function withoutPersonalLinks(text: string): string {
  // The bodies of forms have a slash as %2F.
  return text.replace(/((?:\/|%2F)(?:acknowledge|mail-consent)(?:\/|%2F))[\w.-]+/gi, "$1***");
}
