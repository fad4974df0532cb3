import { isOutboxShown, listOutbox, type StayedMail } from "../../features/mail-outbox/service.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { EmptyState } from "../components/pieces.tsx";
import { Time } from "../components/time.tsx";
import { showView } from "../shell.tsx";
import { view } from "../view.ts";
import { words } from "../words.ts";
import { installationTrail } from "./trail.ts";

const HERE = "/app/installation/outbox";

export const endpoints = [
  view(
    { path: HERE, summary: "Mail that nothing sends, for the operator of a service that only its own machine reaches" },
    async (c) => {
      const text = words("dashboard-installation").outbox;
      const mails = await listOutbox(c.var.ctx);
      return showView(c, {
        title: text.title,
        section: "account",
        trail: installationTrail(),
        children: (
          <>
            <p class="quiet">
              {text.lead.parts({
                sender: <code>MAIL_FROM</code>,
                server: <code>SMTP_URL</code>,
                manual: <code>docs/mail.md</code>,
              })}
            </p>
            {mails.length === 0 ? (
              <EmptyState title={text.empty.title}>{text.empty.hint}</EmptyState>
            ) : (
              mails.map((mail, n) => (
                <MailOf mail={mail} isOpen={n === 0} now={c.var.now} origin={new URL(c.var.publicUrl).origin} />
              ))
            )}
          </>
        ),
      });
    },
  ),
];

interface MailProps {
  mail: StayedMail;
  isOpen: boolean;
  now: number;
  /** Of the service: what its mail leads to. */
  origin: string;
}

function MailOf({ mail: { to, subject, text: body, created_at }, isOpen, now, origin }: MailProps) {
  const text = words("dashboard-installation").outbox;
  return (
    <details class="card mail" open={isOpen}>
      <summary>
        <strong dir="auto">{subject}</strong>{" "}
        <span class="quiet">
          {text.to.parts({ address: <span dir="auto">{to}</span>, at: <Time at={created_at} now={now} /> })}
        </span>
      </summary>
      {body === null ? (
        <p class="quiet">{text.withheld.parts({ command: <code>npm run --silent mail</code> })}</p>
      ) : (
        <pre dir="auto" tabindex={0}>
          {linked(body, origin)}
        </pre>
      )}
    </details>
  );
}

/** Only addresses of the service itself lead on; others are text, as their senders wrote them. */
function linked(text: string, origin: string) {
  return text
    .split(/(https?:\/\/\S+)/)
    .map((part) => (URL.canParse(part) && new URL(part).origin === origin ? <a href={part}>{part}</a> : part));
}

/** Beside what announces a mail: where it is read while nothing sends it. */
export function MailStays({ c }: { c: AppContext }) {
  const { ctx } = c.var;
  if (!isOutboxShown(ctx)) return null;
  const isReader = ctx.principal.kind === "user" && ctx.principal.is_operator;
  const text = words("dashboard-installation").outbox.stays;
  return (
    <p class="banner is-info">
      {isReader ? text.yours.parts({ link: <a href={HERE}>{text.link}</a> }) : text.operator}
    </p>
  );
}
