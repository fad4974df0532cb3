import type { MailConsent } from "../../features/mail-consents/service.ts";
import { renderDocument } from "./frame.tsx";

interface MailConsentView extends Pick<MailConsent, "sender" | "answer"> {
  /** The link's own address, token included. */
  href: string;
}

export function renderMailConsent({ sender, answer, href }: MailConsentView): string {
  return renderDocument({
    title: "Alerts by mail",
    isNarrow: true,
    children: (
      <>
        <h1>{HEADINGS[answer ?? "open"]}</h1>
        <p class="lead">{textOf(sender, answer)}</p>
        <form class="card" method="post" action={href}>
          {answer === "agreed" ? null : (
            <button type="submit" name="agree" value="1">
              {answer === "stopped" ? "Allow alerts again" : "Send me alerts"}
            </button>
          )}
          {answer === "stopped" ? null : (
            <button type="submit" name="stop" value="1">
              {answer === "agreed" ? "Stop alerts" : "Never write to me"}
            </button>
          )}
        </form>
      </>
    ),
  });
}

const HEADINGS = {
  open: "Do you want these alerts?",
  agreed: "Alerts are sent to you",
  stopped: "No more alerts are sent to you",
};

function textOf(sender: string, answer: MailConsent["answer"]): string {
  if (answer === "agreed") return `You agreed to alerts of ${sender}. You can stop them here at any time.`;
  if (answer === "stopped") return `${sender} can no longer send alerts to your address, and cannot ask again.`;
  return `${sender} wants to send alerts to your address when services that they monitor have trouble.`;
}
