import { isOutboxShown, listOutbox, type StayedMail } from "../../features/mail-outbox/service.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { EmptyState } from "../components/pieces.tsx";
import { Time } from "../components/time.tsx";
import { showView } from "../shell.tsx";
import { view } from "../view.ts";

const HERE = "/app/installation/outbox";

export const endpoints = [
  view(
    { path: HERE, summary: "Mail that nothing sends, for the operator of a service that only its own machine reaches" },
    async (c) => {
      const mails = await listOutbox(c.var.ctx);
      return showView(c, {
        title: "Outbox",
        section: "account",
        trail: [
          { href: "/app/account", text: "Account" },
          { href: "/app/installation", text: "Installation" },
        ],
        children: (
          <>
            <p class="quiet">
              This service sends no mail yet, so it stays here, for this machine alone. Set <code>MAIL_FROM</code> and{" "}
              <code>SMTP_URL</code> to send it: <code>docs/mail.md</code>.
            </p>
            {mails.length === 0 ? (
              <EmptyState title="No mail waits">Invitations, codes and alerts by mail are read here.</EmptyState>
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

function MailOf({ mail: { to, subject, text, created_at }, isOpen, now, origin }: MailProps) {
  return (
    <details class="card mail" open={isOpen}>
      <summary>
        <strong dir="auto">{subject}</strong>{" "}
        <span class="quiet">
          to <span dir="auto">{to}</span>, <Time at={created_at} now={now} />
        </span>
      </summary>
      {text === null ? (
        <p class="quiet">
          It is for another account, which its links would open. On the machine of the service,{" "}
          <code>npm run --silent mail</code> prints it.
        </p>
      ) : (
        <pre dir="auto" tabindex={0}>
          {linked(text, origin)}
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
  return (
    <p class="banner is-info">
      This service sends no mail yet.{" "}
      {isReader ? (
        <>
          Read it in the <a href={HERE}>outbox</a>.
        </>
      ) : (
        "Its operator finds it in the outbox of the installation."
      )}
    </p>
  );
}
