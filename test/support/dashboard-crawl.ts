import type { Account } from "./factories.ts";
import { type Answering, type Browser, createBrowser } from "./forms.ts";
import { insertBrowser, insertPassword } from "./members.ts";
import { type Control, readView } from "./shown-controls.ts";

/** Every view of the dashboard that a person comes to by links. */
const SECTIONS = [
  ...["", "/monitors", "/incidents", "/incidents?show=all", "/maintenance", "/pages", "/alerts", "/alerts/deliveries"],
  ...["/rules", "/on-call", "/agents", "/team", "/account", "/audit"],
].map((path) => `/app${path}`);

/** Signed in as this account. */
export async function browserOf(account: Account, answer?: Answering): Promise<Browser> {
  await insertPassword(account);
  return createBrowser(await insertBrowser(account), answer);
}

/** Buttons of one form differ in what they send. */
export const keyOf = ({ method, action, fields }: Control) => {
  const chosen = fields.filter(([name]) => ["id", "action", "intent", "type", "start"].includes(name));
  return `${method} ${action} ${JSON.stringify(chosen)}`;
};
/** Files, and links that leave for a provider of sign-in, are no views. */
export const isOurs = (path: string) =>
  /^\/app(\/|\?|$)/.test(path) && !/^\/app\/(assets|account\/sign-ins\/link\/)/.test(path);

/** Calendars lead on without end, and windows recur; one step shows that they do. */
const ENDLESS = /([?&](?:month|from)=|\/occurrences\/)[\w:.%-]+/g;
/** Besides, one type and one provider, for what does not depend on them. */
export const ALIKE = /([?&](?:month|from|type|provider)=|\/occurrences\/)[\w:.%-]+/g;

export interface Crawled {
  /** Every address that was linked, with the status that it answered. */
  linked: Map<string, number>;
  controls: Map<string, Control>;
}

/** Opens every section and everything that is linked from there; of addresses that differ in `alike` alone, one. */
export async function crawl(
  browser: Browser,
  onShown: (path: string, text: string) => void = () => {},
  alike = ENDLESS,
): Promise<Crawled> {
  const linked = new Map<string, number>();
  const controls = new Map<string, Control>();
  const waiting = [...SECTIONS];
  const seen = new Set<string>();
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const pathname = path.replace(/#.*/, "");
    const place = pathname.replace(alike, "$1");
    if (seen.has(place)) continue;
    seen.add(place);
    const { status, text } = await browser.open(pathname);
    linked.set(pathname, status);
    onShown(pathname, text);
    const shown = await readView(text);
    for (const control of shown.controls) controls.set(keyOf(control), control);
    const asks = shown.controls.filter(({ method, fields }) => method === "get" && fields.length <= 1);
    waiting.push(...shown.links.filter(isOurs), ...asks.map(addressOf).filter(isOurs));
  }
  return { linked, controls };
}

/** Of a form that only leads on, as the button "Clone" does. */
const addressOf = ({ action, fields }: Control) =>
  fields.length === 0 ? action : `${action}?${new URLSearchParams(fields)}`;
