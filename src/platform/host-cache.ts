/** Which page is served under which host, as this isolate knows it; null where none is. */
interface KnownHost {
  slug: string | null;
  known_at: number;
}

/** Strangers choose the names that are asked for, so there is a bound. */
const HOSTS_MAX = 1000;

const known = new Map<string, KnownHost>();

export function getCachedHost(host: string): KnownHost | undefined {
  return known.get(host);
}

export function cacheHost(host: string, entry: KnownHost): void {
  known.delete(host);
  known.set(host, entry);
  const [oldest] = known.keys();
  if (known.size > HOSTS_MAX && oldest !== undefined) known.delete(oldest);
}

/** To be called after every change of a claim: this isolate then follows at once. */
export function clearHosts(): void {
  known.clear();
}
