import { ACKNOWLEDGE, type AlertMessage, EVIDENCE } from "../domain/alert-messages.ts";
import type { BrowserAlert } from "../lib/browser-message.ts";
import { shorten } from "../lib/plain-text.ts";
import { formatPlain } from "./chat-text.ts";

/** Phones show some two lines of the title and ten of the body. */
const TITLE_MAX = 120;
const BODY_MAX = 600;
const ACKNOWLEDGE_PATH = /^\/acknowledge\/[\w.-]+$/;

/** What a notification on a phone shows of a message, and the addresses behind it and behind its buttons. */
export function formatBrowserAlert(message: AlertMessage, sent_at: number): BrowserAlert {
  const paths = message.links.map(({ label, url }) => {
    const { pathname, search } = new URL(url);
    return { label, path: `${pathname}${search}` };
  });
  const evidence = paths.find(({ label }) => label === EVIDENCE);
  const acknowledge = paths.find(({ label, path }) => label === ACKNOWLEDGE && ACKNOWLEDGE_PATH.test(path));
  return {
    kind: "alert",
    title: shorten(message.title, TITLE_MAX),
    body: formatPlain({ ...message, links: [] }, { length_max: BODY_MAX, isTitled: true }),
    tag: message.thread.id,
    is_urgent: message.tone === "down",
    sent_at,
    open: paths.findLast(({ path }) => path !== acknowledge?.path)?.path ?? "/app",
    ...(acknowledge && { acknowledge: acknowledge.path }),
    ...(evidence && { evidence: evidence.path }),
  };
}
