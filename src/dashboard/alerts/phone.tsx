import type { PhoneUse } from "../../domain/phone.ts";
import { PostButton } from "../components/pieces.tsx";
import { QrCode } from "../components/qr-code.tsx";
import { words } from "../words.ts";

/** The shortest way to an alert that arrives: nothing has to be entered. */
export function PhoneOffer() {
  const text = words("dashboard-alerts").phone;
  return (
    <section class="card" aria-labelledby="phone">
      <h2 id="phone">{text.title}</h2>
      <p class="quiet">{text.hint}</p>
      <PostButton action="/app/alerts/phone" label={text.alert} />
    </section>
  );
}

export function PhoneSteps({ id, url }: { id: string; url: string }) {
  const text = words("dashboard-alerts").phone;
  return (
    <section class="card" aria-labelledby="phone">
      <h2 id="phone">{text.subscribe}</h2>
      <ol>
        <li>{text.install}</li>
        <li>{text.scan}</li>
        <li>{text.test}</li>
      </ol>
      <QrCode text={url} label={text.code} />
      <p class="quiet">
        <a href={url} rel="noreferrer">
          {url}
        </a>
      </p>
      <PostButton
        action={`/app/alerts/${id}/test`}
        label={words("dashboard-alerts").channels.send_test}
        fields={{ next: `/app/alerts/${id}/edit` }}
      />
    </section>
  );
}

/** Of a channel that reaches people by telephone: what the month has cost so far. */
export function MonthOfTelephones({ use }: { use: PhoneUse | null }) {
  const text = words("dashboard-alerts").phone;
  if (use === null) return null;
  const isUp = use.taken >= use.parts_max;
  return (
    <p class={isUp ? "banner is-warn" : "banner"}>
      {text.month({ taken: String(use.taken), max: String(use.parts_max) })} {isUp ? text.used_up : null}
    </p>
  );
}
