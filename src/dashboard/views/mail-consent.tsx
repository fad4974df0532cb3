import type { MailConsent } from "../../features/mail-consents/service.ts";
import { words } from "../words.ts";
import { renderDocument } from "./frame.tsx";

interface MailConsentView extends Pick<MailConsent, "sender" | "answer"> {
  /** The link's own address, token included. */
  href: string;
}

export function renderMailConsent({ sender, answer, href }: MailConsentView): string {
  const text = words("dashboard-frame").mail_consent;
  return renderDocument({
    title: text.title,
    isNarrow: true,
    children: (
      <>
        <h1>{text.heading[answer ?? "open"]}</h1>
        <p class="lead">{textOf(sender, answer)}</p>
        <form class="card" method="post" action={href}>
          {answer === "agreed" ? null : (
            <button type="submit" name="agree" value="1">
              {answer === "stopped" ? text.again : text.agree}
            </button>
          )}
          {answer === "stopped" ? null : (
            <button type="submit" name="stop" value="1">
              {answer === "agreed" ? text.stop : text.never}
            </button>
          )}
        </form>
      </>
    ),
  });
}

function textOf(sender: string, answer: MailConsent["answer"]): string {
  const text = words("dashboard-frame").mail_consent;
  if (answer === "agreed") return text.text.agreed({ sender });
  if (answer === "stopped") return text.text.stopped({ sender });
  return text.text.open({ sender });
}
