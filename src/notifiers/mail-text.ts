import { type AlertMessage, type AlertTone, headline } from "../domain/alert-messages.ts";
import { LIGHT } from "../ui/design/tokens.ts";
import { type MailLink, type MailPill, renderMail } from "../ui/mail-document.ts";
import { type Block, type Inline, parseMarkdown } from "../ui/markdown.ts";
import { plainText } from "./chat-text.ts";
import type { NotifierMail } from "./port.ts";

const PILLS: Record<AlertTone, MailPill> = {
  down: { tone: "down", label: "Alert" },
  warning: { tone: "degraded", label: "Warning" },
  good: { tone: "up", label: "Resolved" },
  info: { tone: "accent", label: "Notice" },
};

/** An alert as mail. Mails of one outage form a thread (RFC 5322, 3.6.4); user text never begins the subject. */
export function formatAlertMail(
  message: AlertMessage,
  { reason, footer }: { reason: string; footer: readonly MailLink[] },
): Omit<NotifierMail, "kind" | "to"> {
  const { title, facts, links, tone, thread, is_markdown, page_name = "Vigil" } = message;
  const subject = headline(message);
  const text = plainText(message);
  const lines = [
    title,
    facts.map(({ label, value }) => `${label}: ${value}`).join("\n"),
    text,
    links.map(({ label, url }) => `${label}: ${url}`).join("\n"),
    `-- \n${[reason, ...footer.map(({ label, url }) => `${label}: ${url}`)].join("\n")}`,
  ];
  const body = is_markdown ? parseMarkdown(message.text) : text === "" ? [] : [linesOf(text)];
  return {
    subject,
    text: `${lines.filter((line) => line !== "").join("\n\n")}\n`,
    html: renderMail({
      subject,
      name: page_name,
      color: LIGHT[PILLS[tone].tone],
      pill: PILLS[tone],
      heading: title,
      facts,
      body,
      actions: links,
      reason,
      footer,
    }),
    headers: { References: `<${thread.id.replace(/[^A-Za-z0-9]/g, ".")}@alerts.vigil>` },
  };
}

/** Plain text whose lines stay lines. */
function linesOf(text: string): Block {
  const children = text.split("\n").flatMap((line): Inline[] => [{ kind: "break" }, { kind: "text", text: line }]);
  return { kind: "paragraph", children: children.slice(1) };
}
