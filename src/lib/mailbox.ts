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
