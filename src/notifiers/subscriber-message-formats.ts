import type { SubscriberChannel, SubscriberMessageContent } from "../contract/subscriber.ts";
import type { MessageDraft } from "../domain/subscriber-messages.ts";
import { shorten } from "../lib/plain-text.ts";
import { type MailPill, renderMail } from "../ui/mail-document.ts";
import { type Block, parseMarkdown } from "../ui/markdown.ts";
import { angleLink, escapeDiscord, escapeSlack, markdownLink } from "./chat-text.ts";

/** Formats a message to subscribers for each channel. */

const DISCORD_LENGTH_MAX = 2000;
const SLACK_LENGTH_MAX = 3000;

export function formatMail(draft: MessageDraft): { text: string; html: string } {
  return { text: toPlainText(draft), html: toHtmlMail(draft) };
}

function toPlainText(draft: MessageDraft): string {
  const { page, action, reason, links } = draft;
  const footer = [
    `${page.name}: ${links.page}`,
    reason,
    ...(links.manage === null ? [] : [`Manage your subscription: ${links.manage}`]),
    ...(links.unsubscribe === null ? [] : [`Unsubscribe: ${links.unsubscribe}`]),
  ];
  return `${[...paragraphsOf(draft), `${action.label}: ${action.url}`, `-- \n${footer.join("\n")}`].join("\n\n")}\n`;
}

/** Everything except the links, as plain paragraphs. */
function paragraphsOf({ kind, heading, facts, items, text }: MessageDraft): string[] {
  const lines = facts.map(({ label, value }) => `${label}: ${value}`);
  return [
    kind === null ? heading : `${kind}: ${heading}`,
    lines.join("\n"),
    items.map((item) => `- ${item}`).join("\n"),
    text,
  ].filter((part) => part !== "");
}

function toHtmlMail({ subject, page, kind, heading, facts, items, text, action, reason, links }: MessageDraft): string {
  const footer = [
    { label: page.name, url: links.page },
    ...(links.manage === null ? [] : [{ label: "Manage your subscription", url: links.manage }]),
    ...(links.unsubscribe === null ? [] : [{ label: "Unsubscribe", url: links.unsubscribe }]),
  ];
  const { name, brand_color: color } = page;
  const body = [...(items.length === 0 ? [] : [listOf(items)]), ...parseMarkdown(text)];
  const pill: MailPill | null = kind === null ? null : { tone: toneOf(kind), label: kind };
  return renderMail({ subject, name, color, pill, heading, facts, body, actions: [action], reason, footer });
}

/** Of what an event is called. */
function toneOf(kind: string): MailPill["tone"] {
  if (/resolved|completed/i.test(kind)) return "up";
  return /maintenance/i.test(kind) ? "accent" : "degraded";
}

/** Names are no Markdown. */
function listOf(items: readonly string[]): Block {
  const toItem = (text: string): Block[] => [{ kind: "paragraph", children: [{ kind: "text", text }] }];
  return { kind: "list", ordered: false, items: items.map(toItem) };
}

/** The body for a chat or a program. User text mentions no one and has no markup. */
export function formatChannelBody(
  channel: Exclude<SubscriberChannel, "email">,
  draft: MessageDraft,
  content: SubscriberMessageContent | null,
): string {
  const words = [draft.page.name, ...paragraphsOf(draft)].join("\n");
  const { links, action } = draft;
  switch (channel) {
    case "slack": {
      const inert = escapeSlack(words);
      const link = angleLink(action.label, action.url);
      const leave = links.manage === null ? "" : ` · ${angleLink("Change or unsubscribe", links.manage)}`;
      return JSON.stringify({ text: `${shorten(inert, SLACK_LENGTH_MAX)}\n${link}${leave}`, unfurl_links: false });
    }
    case "discord": {
      const link = markdownLink(action.label, `<${action.url}>`);
      const leave = links.manage === null ? "" : ` · ${markdownLink("Change or unsubscribe", `<${links.manage}>`)}`;
      const end = `\n${link}${leave}`;
      const inert = escapeDiscord(words);
      const content = shorten(inert, DISCORD_LENGTH_MAX - end.length) + end;
      return JSON.stringify({ content, allowed_mentions: { parse: [] } });
    }
    case "webhook":
      return JSON.stringify({
        event: content?.event ?? "subscription.confirm",
        page: { name: draft.page.name, url: links.page },
        incident_id: content?.incident_id ?? null,
        title: content?.title || draft.heading,
        status: content?.status ?? null,
        severity: content?.severity ?? null,
        message: content?.message ?? draft.text,
        affected: content?.together?.names ?? content?.affected ?? [],
        created_at: content?.at ?? null,
        starts_at: content?.starts_at ?? null,
        ends_at: content?.ends_at ?? null,
        url: draft.action.url,
        unsubscribe_url: links.unsubscribe,
      });
  }
}
