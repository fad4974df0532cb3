import type { SubscriberChannel, SubscriberMessageContent } from "../contract/subscriber.ts";
import type { MessageDraft } from "../domain/subscriber-messages.ts";
import { shorten } from "../lib/plain-text.ts";
import { type MailLink, renderMail } from "../ui/mail-document.ts";
import { type Block, parseMarkdown } from "../ui/markdown.ts";
import { angleLink, escapeDiscord, escapeSlack, markdownLink } from "./chat-text.ts";

/** Formats a message to subscribers for each channel. */

const DISCORD_LENGTH_MAX = 2000;
const SLACK_LENGTH_MAX = 3000;

export function formatMail(draft: MessageDraft): { text: string; html: string } {
  return { text: toPlainText(draft), html: toHtmlMail(draft) };
}

function toPlainText(draft: MessageDraft): string {
  const { action, reason, texts } = draft;
  const { page, ...others } = linksOf(draft);
  const lineOf = ({ label, url }: MailLink) => texts.labelled({ label, value: url });
  const footer = [lineOf(page), reason, ...Object.values(others).map(lineOf)];
  return `${[...paragraphsOf(draft), ...(action ? [lineOf(action)] : []), `-- \n${footer.join("\n")}`].join("\n\n")}\n`;
}

/** What the foot of a mail leads to. */
function linksOf({ page, links, texts }: MessageDraft) {
  const { manage, unsubscribe } = links;
  return {
    page: { label: page.name, url: links.page },
    ...(manage === null ? {} : { manage: { label: texts.manage, url: manage } }),
    ...(unsubscribe === null ? {} : { unsubscribe: { label: texts.page.subscribe.unsubscribe, url: unsubscribe } }),
  };
}

/** Everything except the links, as plain paragraphs. */
function paragraphsOf({ pill, heading, facts, items, text, texts }: MessageDraft): string[] {
  return [
    pill === null ? heading : texts.labelled({ label: pill.label, value: heading }),
    facts.map(texts.labelled).join("\n"),
    items.map((item) => `- ${item}`).join("\n"),
    text,
  ].filter((part) => part !== "");
}

function toHtmlMail(draft: MessageDraft): string {
  const { subject, page, pill, heading, facts, items, text, action, reason, texts } = draft;
  const { name, brand_color: color } = page;
  const body = [...(items.length === 0 ? [] : [listOf(items)]), ...parseMarkdown(text)];
  const footer = Object.values(linksOf(draft));
  const { language, direction } = texts;
  const written = { language, direction };
  return renderMail({
    written,
    subject,
    name,
    color,
    pill,
    heading,
    facts,
    body,
    actions: action ? [action] : [],
    reason,
    footer,
  });
}

/** Names are no Markdown. */
function listOf(items: readonly string[]): Block {
  const toItem = (text: string): Block[] => [{ kind: "paragraph", children: [{ kind: "text", text }] }];
  return { kind: "list", ordered: false, items: items.map(toItem) };
}

/** The last line in a chat; nothing without a link. */
function linksUnder({ action, links, texts }: MessageDraft, toLink: (label: string, url: string) => string): string {
  const change = links.manage === null ? null : { label: texts.change, url: links.manage };
  const line = [action, change].flatMap((link) => (link ? [toLink(link.label, link.url)] : [])).join(" · ");
  return line === "" ? "" : `\n${line}`;
}

/** The body for a chat or a program. User text mentions no one and has no markup. */
export function formatChannelBody(
  channel: Exclude<SubscriberChannel, "email">,
  draft: MessageDraft,
  content: SubscriberMessageContent | null,
): string {
  const words = [draft.page.name, ...paragraphsOf(draft)].join("\n");
  const { links } = draft;
  switch (channel) {
    case "slack": {
      const inert = escapeSlack(words);
      const link = linksUnder(draft, angleLink);
      return JSON.stringify({ text: `${shorten(inert, SLACK_LENGTH_MAX)}${link}`, unfurl_links: false });
    }
    case "discord": {
      const end = linksUnder(draft, (label, url) => markdownLink(label, `<${url}>`));
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
        url: draft.action?.url ?? links.page,
        unsubscribe_url: links.unsubscribe,
      });
  }
}
