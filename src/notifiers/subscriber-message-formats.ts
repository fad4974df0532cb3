import type { SubscriberChannel, SubscriberMessageContent } from "../contract/subscriber.ts";
import type { MessageDraft } from "../domain/subscriber-messages.ts";
import { type Block, type Inline, parseMarkdown } from "../ui/markdown.ts";
import { LIGHT } from "../ui/styles.ts";

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
function paragraphsOf({ kind, heading, facts, text }: MessageDraft): string[] {
  const lines = facts.map(({ label, value }) => `${label}: ${value}`);
  return [kind === null ? heading : `${kind}: ${heading}`, lines.join("\n"), text].filter((part) => part !== "");
}

/** Loads nothing from elsewhere: no images, no style sheets, nothing that tracks readers. */
function toHtmlMail(draft: MessageDraft): string {
  const { page, kind, heading, facts, text, action, reason, links } = draft;
  const rows = facts.map(
    ({ label, value }) =>
      `<tr><th scope="row" align="left" valign="top" style="padding:2px 16px 2px 0;font-weight:400;color:${LIGHT.quiet}">${escapeHtml(label)}</th><td dir="auto" style="padding:2px 0">${escapeHtml(value)}</td></tr>`,
  );
  const table =
    rows.length === 0
      ? ""
      : `<table cellspacing="0" style="margin:0 0 16px;border-collapse:collapse;font-size:15px">${rows.join("")}</table>`;
  const quiet = (url: string | null, label: string) =>
    url === null ? [] : [`<a href="${escapeHtml(url)}" style="color:${LIGHT.quiet}">${escapeHtml(label)}</a>`];
  const footer = [
    ...quiet(links.page, page.name),
    ...quiet(links.manage, "Manage your subscription"),
    ...quiet(links.unsubscribe, "Unsubscribe"),
  ];
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(draft.subject)}</title></head>
<body style="margin:0;padding:24px 12px;background:${LIGHT.ground};color:${LIGHT.text};font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif">
<div style="max-width:560px;margin:0 auto;padding:24px;background:${LIGHT.card};border:1px solid ${LIGHT.line};border-top:4px solid ${escapeHtml(page.brand_color ?? LIGHT.line)};border-radius:12px">
<p dir="auto" style="margin:0 0 20px;font-weight:600">${escapeHtml(page.name)}</p>
${kind === null ? "" : `<p style="margin:0;font-size:14px;color:${LIGHT.quiet}">${escapeHtml(kind)}</p>`}
<h1 dir="auto" style="margin:0 0 16px;font-size:22px;line-height:1.3">${escapeHtml(heading)}</h1>
${table}
${toHtml(parseMarkdown(text))}
<p style="margin:20px 0 0"><a href="${escapeHtml(action.url)}" style="display:inline-block;padding:10px 18px;background:${LIGHT.link};color:#fff;border-radius:8px;text-decoration:none">${escapeHtml(action.label)}</a></p>
</div>
<p style="max-width:560px;margin:16px auto 0;font-size:13px;color:${LIGHT.quiet}">${escapeHtml(reason)}<br>${footer.join(" &middot; ")}</p>
</body></html>
`;
}

const BLOCK_STYLE = 'dir="auto" style="margin:0 0 12px"';

/** The elements of user text; mail programs ignore classes. */
function toHtml(blocks: readonly Block[]): string {
  return blocks.map(blockHtml).join("\n");
}

function blockHtml(block: Block): string {
  switch (block.kind) {
    case "paragraph":
      return `<p ${BLOCK_STYLE}>${inlineHtml(block.children)}</p>`;
    case "quote":
      return `<blockquote style="margin:0 0 12px;padding:0 0 0 12px;border-left:3px solid ${LIGHT.line}">${toHtml(block.children)}</blockquote>`;
    case "code":
      return `<pre style="margin:0 0 12px;white-space:pre-wrap;font:14px/1.4 ui-monospace,monospace">${escapeHtml(block.text)}</pre>`;
    case "list": {
      const tag = block.ordered ? "ol" : "ul";
      return `<${tag} ${BLOCK_STYLE}>${block.items.map((item) => `<li>${toHtml(item)}</li>`).join("")}</${tag}>`;
    }
  }
}

function inlineHtml(inlines: readonly Inline[]): string {
  return inlines.map(elementHtml).join("");
}

function elementHtml(inline: Inline): string {
  switch (inline.kind) {
    case "text":
      return escapeHtml(inline.text);
    case "code":
      return `<code>${escapeHtml(inline.text)}</code>`;
    case "break":
      return "<br>";
    case "link":
      return `<a href="${escapeHtml(inline.href)}" rel="nofollow noopener">${inlineHtml(inline.children)}</a>`;
    default:
      return `<${inline.kind}>${inlineHtml(inline.children)}</${inline.kind}>`;
  }
}

/** The body for a chat or a program. User text mentions no one and has no markup. */
export function formatChannelBody(
  channel: Exclude<SubscriberChannel, "email">,
  draft: MessageDraft,
  content: SubscriberMessageContent | null,
): string {
  const words = [draft.page.name, ...paragraphsOf(draft)].join("\n");
  const { links } = draft;
  const link = `${draft.action.label}: ${draft.action.url}`;
  switch (channel) {
    case "slack": {
      const inert = words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
      const leave = links.manage === null ? "" : `\n<${links.manage}|Change or unsubscribe>`;
      return JSON.stringify({ text: `${shorten(inert, SLACK_LENGTH_MAX)}\n${link}${leave}`, unfurl_links: false });
    }
    case "discord": {
      const leave = links.manage === null ? "" : `\n[Change or unsubscribe](<${links.manage}>)`;
      const end = `\n${link}${leave}`;
      const inert = words.replace(/[\\*_~`|>#[\]()<@]/g, "\\$&");
      const content = shorten(inert, DISCORD_LENGTH_MAX - end.length) + end;
      return JSON.stringify({ content, allowed_mentions: { parse: [] } });
    }
    case "webhook":
      return JSON.stringify({
        event: content?.event ?? "subscription.confirm",
        page: { name: draft.page.name, url: links.page },
        incident_id: content?.incident_id ?? null,
        title: content?.title ?? draft.heading,
        status: content?.status ?? null,
        severity: content?.severity ?? null,
        message: content?.message ?? draft.text,
        affected: content?.affected ?? [],
        created_at: content?.at ?? null,
        starts_at: content?.starts_at ?? null,
        ends_at: content?.ends_at ?? null,
        url: draft.action.url,
        unsubscribe_url: links.unsubscribe,
      });
  }
}

function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
