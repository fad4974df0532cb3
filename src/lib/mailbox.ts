export interface Mailbox {
  name: string;
  address: string;
}

/** Reads `name@host` or `Some Name <name@host>`; null where it is neither. */
export function parseMailbox(text: string): Mailbox | null {
  const [, quoted, plain, bracketed, bare] =
    /^(?:(?:"([^"\\]*)"|([^"<>@]*?))\s*<([^\s<>@]+@[^\s<>@]+)>|([^\s<>@]+@[^\s<>@]+))$/u.exec(text.trim()) ?? [];
  const address = bracketed ?? bare;
  const name = quoted ?? plain ?? "";
  return address === undefined || /\p{Cc}/u.test(name + address) ? null : { name: name.trim(), address };
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1);
}

/** Domains have an ASCII spelling that every server knows; what stands before the @ has none. */
export function withAsciiDomain(address: string): string {
  const url = `https://${domainOf(address)}`;
  return URL.canParse(url) ? address.slice(0, address.lastIndexOf("@") + 1) + new URL(url).hostname : address;
}

/** Providers that deliver names with and without dots to one mailbox. */
const DOTLESS = ["gmail.com", "googlemail.com"];

/** One form for addresses that lead to one mailbox: `Ada+news@Example.com` is read by ada@example.com. */
export function canonicalAddress(address: string): string {
  const text = address.trim().toLowerCase();
  const at = text.lastIndexOf("@");
  if (at < 1) return text;
  const domain = text.slice(at + 1);
  const name = text.slice(0, at).replace(/(?<=.)\+.*$/, "");
  return `${DOTLESS.includes(domain) ? name.replaceAll(".", "") : name}@${domain}`;
}
