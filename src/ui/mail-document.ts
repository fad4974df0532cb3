import { type ColorName, DARK, LIGHT, MAIL_FONT, SIZES, SIZES_PX } from "./design/tokens.ts";
import type { Block, Inline } from "./markdown.ts";

export interface MailLink {
  label: string;
  url: string;
}

/** What the mail reports, as its pill has it. */
export interface MailPill {
  tone: "down" | "degraded" | "up" | "accent";
  label: string;
}

interface Written {
  language: string;
  direction: "ltr" | "rtl";
}

export interface MailView {
  /** The language of its words; default English. */
  written?: Written;
  subject: string;
  /** The sender to the reader: the page, or the service. */
  name: string;
  /** Of the bar on top; null for none. */
  color: string | null;
  pill: MailPill | null;
  heading: string;
  facts: readonly { label: string; value: string }[];
  body: readonly Block[];
  /** The first one is the button; the others stand beside it as links. */
  actions: readonly MailLink[];
  /** What is said after the button. */
  after?: readonly Block[];
  /** Why the reader receives it; may be empty. */
  reason: string;
  footer: readonly MailLink[];
}

/**
 * Few programs for mail keep style sheets, so each element has its own style, of the tokens for light grounds. Those that
 * keep one and follow the reader's dark scheme take the tokens for dark grounds by the classes here, whose rules have to
 * outrank the styles of the elements.
 */
const DARK_RULES: Record<string, Record<string, ColorName>> = {
  ground: { background: "neutral-1", color: "neutral-12" },
  // Its upper edge has the colour of the page or of the state.
  sheet: {
    background: "raised",
    "border-left-color": "neutral-6",
    "border-right-color": "neutral-6",
    "border-bottom-color": "neutral-6",
  },
  edge: { "border-color": "neutral-6" },
  text: { color: "neutral-12" },
  quiet: { color: "neutral-11" },
  link: { color: "accent-text" },
  button: { background: "accent", color: "on-accent" },
  code: { background: "neutral-4" },
  down: { background: "down-tint", color: "down-text" },
  degraded: { background: "degraded-tint", color: "degraded-text" },
  up: { background: "up-tint", color: "up-text" },
  accent: { background: "accent-tint", color: "accent-text" },
};

const STYLE_SHEET = `:root{color-scheme:light dark}@media (prefers-color-scheme:dark){${Object.entries(DARK_RULES)
  .map(([name, rule]) => {
    const set = Object.entries(rule).map(([property, color]) => `${property}:${DARK[color]}!important`);
    return `.${name}{${set.join(";")}}`;
  })
  .join("")}}`;

const TEXT = `color:${LIGHT["neutral-12"]};font:${SIZES_PX["size-16"]}/24px ${MAIL_FONT}`;
const QUIET = `color:${LIGHT["neutral-11"]};font:${SIZES_PX["size-13"]}/20px ${MAIL_FONT}`;
const HAIRLINE = `1px solid ${LIGHT["neutral-6"]}`;
const RADIUS = { control: SIZES["radius-control"], surface: SIZES["radius-surface"], full: SIZES["radius-full"] };

const ENGLISH: Written = { language: "en", direction: "ltr" };

/** The HTML of a mail. Loads nothing from elsewhere: no images, no style sheets but its own, nothing that tracks readers. */
export function renderMail(view: MailView): string {
  const { written = ENGLISH, subject, name, color, heading, body, reason } = view;
  const direction = written.direction === "rtl" ? ' dir="rtl"' : "";
  // What people named stands where the mail begins, in any script.
  const aligned = `text-align:${edgesOf(written).start}`;
  const parts = [
    `<p dir="auto" class="text" style="margin:0 0 ${SIZES["space-6"]};${aligned};${TEXT};font-weight:600">${escapeHtml(name)}</p>`,
    pillHtml(view.pill),
    `<h1 dir="auto" class="text" style="margin:0 0 ${SIZES["space-4"]};${aligned};color:${LIGHT["neutral-12"]};font:600 ${SIZES_PX["size-20"]}/28px ${MAIL_FONT}">${escapeHtml(heading)}</h1>`,
    toHtml(body),
    factsHtml(view.facts, written),
    actionsHtml(view.actions),
    view.after && view.after.length > 0
      ? `<div style="margin-top:${SIZES["space-6"]}">${toHtml(view.after)}</div>`
      : "",
  ];
  return `<!DOCTYPE html><html lang="${escapeHtml(written.language)}"${direction}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><style>${STYLE_SHEET}</style><title>${escapeHtml(subject)}</title></head>
<body class="ground" style="margin:0;padding:${SIZES["space-8"]} ${SIZES["space-3"]};background:${LIGHT["neutral-2"]};${TEXT}">
<div${direction} class="sheet" style="max-width:560px;margin:0 auto;padding:${SIZES["space-8"]};background:${LIGHT["neutral-1"]};border:${HAIRLINE};border-top:3px solid ${escapeHtml(color ?? LIGHT.accent)};border-radius:${RADIUS.surface};overflow-wrap:anywhere;word-break:break-word">
${parts.filter((part) => part !== "").join("\n")}
</div>
${footHtml(direction, [escapeHtml(reason), footerHtml(view.footer)])}
</body></html>
`;
}

function edgesOf({ direction }: Written): { start: string; end: string } {
  return direction === "rtl" ? { start: "right", end: "left" } : { start: "left", end: "right" };
}

function footHtml(direction: string, parts: readonly string[]): string {
  const shown = parts.filter((part) => part !== "");
  if (shown.length === 0) return "";
  return `<p${direction} class="quiet" style="max-width:560px;margin:${SIZES["space-4"]} auto 0;padding:0 ${SIZES["space-8"]};${QUIET}">${shown.join("<br>")}</p>`;
}

function pillHtml(pill: MailPill | null): string {
  if (pill === null) return "";
  const { tone, label } = pill;
  const style = `display:inline-block;padding:${SIZES["space-05"]} ${SIZES["space-25"]};border-radius:${RADIUS.full};background:${LIGHT[`${tone}-tint`]};color:${LIGHT[`${tone}-text`]};font:500 ${SIZES_PX["size-13"]}/20px ${MAIL_FONT}`;
  return `<p style="margin:0 0 ${SIZES["space-3"]}"><span class="${tone}" style="${style}">${escapeHtml(label)}</span></p>`;
}

function factsHtml(facts: MailView["facts"], written: Written): string {
  if (facts.length === 0) return "";
  const cell = `padding:${SIZES["space-2"]} 0;border-top:${HAIRLINE};font:${SIZES_PX["size-14"]}/20px ${MAIL_FONT}`;
  const { start, end } = edgesOf(written);
  const rows = facts.map(
    ({ label, value }) =>
      `<tr><th scope="row" align="${start}" valign="top" class="quiet edge" style="${cell};padding-${end}:${SIZES["space-6"]};font-weight:400;white-space:nowrap;color:${LIGHT["neutral-11"]}">${escapeHtml(label)}</th><td dir="auto" width="100%" align="${start}" class="text edge" style="${cell};color:${LIGHT["neutral-12"]}">${escapeHtml(value)}</td></tr>`,
  );
  return `<table cellspacing="0" width="100%" style="margin:${SIZES["space-6"]} 0 0;border-collapse:collapse">${rows.join("")}</table>`;
}

function actionsHtml([button, ...others]: readonly MailLink[]): string {
  if (!button) return "";
  const style = `display:inline-block;padding:${SIZES["space-25"]} ${SIZES["space-4"]};background:${LIGHT.accent};color:${LIGHT["on-accent"]};border-radius:${RADIUS.control};font:500 ${SIZES_PX["size-14"]}/20px ${MAIL_FONT};text-decoration:none`;
  const first = `<a href="${escapeHtml(button.url)}" class="button" style="${style}">${escapeHtml(button.label)}</a>`;
  const links = others.map(
    ({ label, url }) =>
      `<a href="${escapeHtml(url)}" class="link" style="color:${LIGHT["accent-text"]};font:500 ${SIZES_PX["size-14"]}/20px ${MAIL_FONT}">${escapeHtml(label)}</a>`,
  );
  return `<p style="margin:${SIZES["space-6"]} 0 0">${[first, ...links].join(" &nbsp; ")}</p>`;
}

function footerHtml(footer: readonly MailLink[]): string {
  const links = footer.map(
    ({ label, url }) =>
      `<a href="${escapeHtml(url)}" class="quiet" style="color:${LIGHT["neutral-11"]}">${escapeHtml(label)}</a>`,
  );
  return links.join(" &middot; ");
}

const BLOCK_STYLE = `dir="auto" style="margin:0 0 ${SIZES["space-3"]}"`;

/** The elements of user text; mail programs ignore classes. */
function toHtml(blocks: readonly Block[]): string {
  return blocks.map(blockHtml).join("\n");
}

function blockHtml(block: Block): string {
  switch (block.kind) {
    case "paragraph":
      return `<p ${BLOCK_STYLE}>${inlineHtml(block.children)}</p>`;
    case "quote":
      return `<blockquote class="edge" style="margin:0 0 ${SIZES["space-3"]};padding:0 0 0 ${SIZES["space-3"]};border-left:2px solid ${LIGHT["neutral-6"]}">${toHtml(block.children)}</blockquote>`;
    case "code":
      return `<pre class="code" style="margin:0 0 ${SIZES["space-3"]};white-space:pre-wrap;padding:${SIZES["space-3"]};border-radius:${RADIUS.control};background:${LIGHT["neutral-3"]};font:${SIZES_PX["size-13"]}/20px ${SIZES.mono}">${escapeHtml(block.text)}</pre>`;
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
      return `<a href="${escapeHtml(inline.href)}" rel="nofollow noopener" class="link" style="color:${LIGHT["accent-text"]}">${inlineHtml(inline.children)}</a>`;
    default:
      return `<${inline.kind}>${inlineHtml(inline.children)}</${inline.kind}>`;
  }
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
