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
