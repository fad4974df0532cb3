export interface AddressedPage {
  slug: string;
  /** The host name of its own under which it is served; null without one. */
  domain: string | null;
}

/** The addresses of a page as one visitor reads it. */
export interface PageHost {
  /** Address of this service, without a trailing slash. */
  service_url: string;
  /** Whether the page was asked for under its own domain. */
  is_own_domain: boolean;
}

export interface PageUrls {
  /** What links and forms begin with: they stay on the host where the page is read. */
  base: string;
  /** The page itself, as a link. */
  home: string;
  /** The canonical address for mails, feeds and search engines; no trailing slash. */
  url: string;
}

/** The one place that decides how a page is addressed: at the root of its own domain, under its slug elsewhere. */
export function buildPageUrls({ slug, domain }: AddressedPage, { service_url, is_own_domain }: PageHost): PageUrls {
  const path = `/status/${slug}`;
  const url = domain === null ? service_url + path : `https://${domain}`;
  return is_own_domain ? { base: "", home: "/", url } : { base: path, home: path, url };
}

/** Under these the service's own address answers nothing but public pages. */
const PUBLIC_PREFIXES = ["/status/", "/embed/", "/badge/", "/assets/status-page/", "/robots.txt"];

/** `publicUrl` is the service's address without a slash at its end, empty where it is not known. */
export function isPublicAddress(url: string, publicUrl: string): boolean {
  if (publicUrl === "" || !url.startsWith(publicUrl)) return false;
  return PUBLIC_PREFIXES.some((prefix) => url.startsWith(prefix, publicUrl.length));
}

/** For so long the readers of one data center share what the database said of a page. */
export const VERSION_SHARED_MS = 1_500;
