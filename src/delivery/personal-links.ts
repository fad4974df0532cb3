/** A text as it is recorded: its links act in the name of the receiver, and whoever reads it may be allowed less. */
export function withoutPersonalLinks(text: string): string {
  return text.replace(/(\/(?:acknowledge|mail-consent)\/)[\w.-]+/g, "$1***");
}
