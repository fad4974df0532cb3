import type { SubscriberChannel, SubscriberNews } from "../contract/subscriber.ts";

export interface MessageLinks {
  page: string;
  manage: string;
  unsubscribe: string;
}

/** Words for people, from which each channel's message is made. `subject` holds nothing that a person wrote but the page's name. */
export interface Wording {
  subject: string;
  heading: string;
  lines: string[];
  action: { label: string; url: string };
  footer: string;
  unsubscribe: string | null;
}

const DISCORD_LENGTH_MAX = 2000;

const HEADLINES: Record<string, string> = {
  "incident.created": "New incident",
  "incident.updated": "Incident updated",
  "incident.resolved": "Incident resolved",
  "maintenance.scheduled": "Maintenance planned",
  "maintenance.started": "Maintenance has begun",
  "maintenance.updated": "Maintenance updated",
  "maintenance.completed": "Maintenance is over",
};

export function wordNews(pageName: string, news: SubscriberNews, links: MessageLinks): Wording {
  const headline = HEADLINES[news.event] ?? "Update";
  return {
    subject: `${oneLine(pageName)}: ${headline.toLowerCase()}`,
    heading: `${headline}: ${oneLine(news.title)}`,
    lines: [
      `Status: ${capitalize(news.status.replaceAll("_", " "))}`,
      ...(news.starts_at !== null && news.ends_at !== null
        ? [`From ${toMinute(news.starts_at)} to ${toMinute(news.ends_at)} (UTC)`]
        : []),
      ...(news.message ?? "").split(/\n\s*\n/).flatMap((part) => (part.trim() === "" ? [] : [part.trim()])),
    ],
    action: { label: "See the status page", url: links.page },
    footer: `You get this because you subscribed to ${oneLine(pageName)}. Change what you are told: ${links.manage}`,
    unsubscribe: links.unsubscribe,
  };
}

export function wordConfirmation(pageName: string, confirm: string): Wording {
  return {
    subject: `${oneLine(pageName)}: confirm your subscription`,
    heading: `Confirm your subscription to ${oneLine(pageName)}`,
    lines: ["Somebody, hopefully you, asked for updates about incidents and maintenance to be sent here."],
    action: { label: "Confirm", url: confirm },
    footer: "The link is good for one day. If this was not you, do nothing: nothing more will be sent.",
    unsubscribe: null,
  };
}

/** For whoever asks again although they are subscribed. */
export function wordReminder(pageName: string, links: MessageLinks): Wording {
  return {
    subject: `${oneLine(pageName)}: you are subscribed already`,
    heading: `You are subscribed to ${oneLine(pageName)} already`,
    lines: ["Somebody, hopefully you, asked for updates to be sent here. They already are."],
    action: { label: "Change what you are told", url: links.manage },
    footer: "If this was not you, do nothing.",
    unsubscribe: links.unsubscribe,
  };
}

export function toPlainText({ heading, lines, action, footer, unsubscribe }: Wording): string {
  const last = unsubscribe === null ? [footer] : [footer, `Unsubscribe: ${unsubscribe}`];
  return `${[heading, ...lines, `${action.label}: ${action.url}`, `-- \n${last.join("\n")}`].join("\n\n")}\n`;
}

/** Without anything from elsewhere: no pictures, no style sheets, nothing that tells who reads it. */
export function toHtmlMail({ heading, lines, action, footer, unsubscribe }: Wording): string {
  const paragraphs = lines.map((line) => `<p style="margin:0 0 12px">${escapeHtml(line).replaceAll("\n", "<br>")}</p>`);
  const leave =
    unsubscribe === null ? "" : ` <a href="${escapeHtml(unsubscribe)}" style="color:#545d6b">Unsubscribe</a>`;
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>
<body style="margin:0;padding:24px;background:#f5f6f8;color:#171a20;font:16px/1.5 system-ui,sans-serif">
<div style="max-width:560px;margin:0 auto;padding:24px;background:#fff;border:1px solid #dfe3e8;border-radius:12px">
<h1 style="margin:0 0 16px;font-size:20px">${escapeHtml(heading)}</h1>
${paragraphs.join("\n")}
<p style="margin:20px 0 0"><a href="${escapeHtml(action.url)}" style="display:inline-block;padding:10px 18px;background:#0b57d0;color:#fff;border-radius:8px;text-decoration:none">${escapeHtml(action.label)}</a></p>
</div>
<p style="max-width:560px;margin:16px auto;font-size:13px;color:#545d6b">${escapeHtml(footer)}${leave}</p>
</body></html>
`;
}

/** The body for a chat or a program. What people wrote mentions nobody and marks up nothing. */
export function toBody(
  channel: Exclude<SubscriberChannel, "email">,
  wording: Wording,
  news: SubscriberNews | null,
): string {
  const words = [wording.heading, ...wording.lines].join("\n");
  const link = `${wording.action.label}: ${wording.action.url}`;
  switch (channel) {
    case "slack": {
      const inert = words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
      return JSON.stringify({ text: `${inert}\n${link}` });
    }
    case "discord": {
      const inert = words.replace(/[\\*_~`|>#[\]()<@]/g, "\\$&").slice(0, DISCORD_LENGTH_MAX - link.length - 1);
      return JSON.stringify({ content: `${inert}\n${link}`, allowed_mentions: { parse: [] } });
    }
    case "webhook":
      return JSON.stringify({
        event: news?.event ?? "subscription.confirm",
        title: news?.title ?? wording.heading,
        status: news?.status ?? null,
        message: news?.message ?? wording.lines.join("\n"),
        starts_at: news?.starts_at ?? null,
        ends_at: news?.ends_at ?? null,
        url: wording.action.url,
        unsubscribe_url: wording.unsubscribe,
      });
  }
}

/** `2026-11-21T03:00:00.000Z` as people read it. */
function toMinute(iso: string): string {
  return iso.slice(0, 16).replace("T", " ");
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
