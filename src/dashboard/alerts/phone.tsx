import { PostButton } from "../components/pieces.tsx";
import { QrCode } from "../components/qr-code.tsx";

/** The shortest way to an alert that arrives: nothing has to be entered. */
export function PhoneOffer() {
  return (
    <section class="card" aria-labelledby="phone">
      <h2 id="phone">Or by an app</h2>
      <p class="quiet">
        By ntfy, a free app without an account: a topic is made that no one guesses, and the next view has a code to
        scan.
      </p>
      <PostButton action="/app/alerts/phone" label="Alert my phone" />
    </section>
  );
}

export function PhoneSteps({ id, url }: { id: string; url: string }) {
  return (
    <section class="card" aria-labelledby="phone">
      <h2 id="phone">Subscribe on your phone</h2>
      <ol>
        <li>
          Install the app ntfy from the store of your phone, or open the address below in a browser that may notify you.
        </li>
        <li>Scan this code with the camera, and subscribe.</li>
        <li>Send a test.</li>
      </ol>
      <QrCode text={url} label="Code of the topic's address" />
      <p class="quiet">
        <a href={url} rel="noreferrer">
          {url}
        </a>
      </p>
      <PostButton action={`/app/alerts/${id}/test`} label="Send test" fields={{ next: `/app/alerts/${id}/edit` }} />
    </section>
  );
}
