import type { Block, Inline } from "./markdown.ts";
import { LIGHT } from "./styles.ts";

export interface MailLink {
  label: string;
  url: string;
}

export interface MailView {
  subject: string;
  /** The sender to the reader: the page, or the service. */
  name: string;
  /** Of the bar on top; null for none. */
  color: string | null;
  kind: string | null;
  heading: string;
  facts: { label: string; value: string }[];
  body: readonly Block[];
  actions: readonly MailLink[];
  /** Why the reader receives it. */
  reason: string;
  footer: readonly MailLink[];
}

/** The HTML of a mail. Loads nothing from elsewhere: no images, no style sheets, nothing that tracks readers. */
export function renderMail(view: MailView): string {
  const { subject, name, color, kind, heading, facts, body, actions, reason, footer } = view;
  const rows = facts.map(
    ({ label, value }) =>
      `<tr><th scope="row" align="left" valign="top" style="padding:2px 16px 2px 0;font-weight:400;color:${LIGHT.quiet}">${escapeHtml(label)}</th><td dir="auto" style="padding:2px 0">${escapeHtml(value)}</td></tr>`,
  );
  const table =
    rows.length === 0
      ? ""
      : `<table cellspacing="0" style="margin:0 0 16px;border-collapse:collapse;font-size:15px">${rows.join("")}</table>`;
  const quiet = footer.map(
    ({ label, url }) => `<a href="${escapeHtml(url)}" style="color:${LIGHT.quiet}">${escapeHtml(label)}</a>`,
  );
  const buttons = actions.map(
    ({ label, url }) =>
      `<a href="${escapeHtml(url)}" style="display:inline-block;padding:10px 18px;background:${LIGHT.link};color:#fff;border-radius:8px;text-decoration:none">${escapeHtml(label)}</a>`,
  );
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(subject)}</title></head>
<body style="margin:0;padding:24px 12px;background:${LIGHT.ground};color:${LIGHT.text};font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif">
<div style="max-width:560px;margin:0 auto;padding:24px;background:${LIGHT.card};border:1px solid ${LIGHT.line};border-top:4px solid ${escapeHtml(color ?? LIGHT.line)};border-radius:12px;overflow-wrap:anywhere">
<p dir="auto" style="margin:0 0 20px;font-weight:600">${escapeHtml(name)}</p>
${kind === null ? "" : `<p style="margin:0;font-size:14px;color:${LIGHT.quiet}">${escapeHtml(kind)}</p>`}
<h1 dir="auto" style="margin:0 0 16px;font-size:22px;line-height:1.3">${escapeHtml(heading)}</h1>
${table}
${toHtml(body)}
${buttons.length === 0 ? "" : `<p style="margin:20px 0 0">${buttons.join(" &nbsp; ")}</p>`}
</div>
<p style="max-width:560px;margin:16px auto 0;font-size:13px;color:${LIGHT.quiet}">${escapeHtml(reason)}<br>${quiet.join(" &middot; ")}</p>
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

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
