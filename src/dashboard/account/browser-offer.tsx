import { browserName } from "../../domain/browser-name.ts";
import { readApplicationKey } from "../../features/notify-contacts/service.ts";
import type { AppContext } from "../../http/endpoint.ts";

export const BROWSER_PATH = "/app/account/contacts/browser";

interface Offered {
  /** With which this browser subscribes. */
  application_key: string;
  /** What it is called, unless its person says otherwise. */
  device: string;
}

export async function loadBrowserOffer({ var: { ctx } }: AppContext): Promise<Offered> {
  const { public_key } = await readApplicationKey(ctx);
  return { application_key: public_key, device: browserName(ctx.userAgent) };
}

/** The script shows the form where the browser can be alerted; else the sentence below it says what is missing. */
export function BrowserOffer({ application_key, device }: Offered) {
  return (
    <section class="card" aria-labelledby="browser-alerts">
      <h2 id="browser-alerts">In this browser, or on this phone</h2>
      <p class="quiet">
        A test message arrives at once. Alerts then come also while Vigil is closed, with a button that acknowledges.
      </p>
      <form method="post" action={BROWSER_PATH} data-application-key={application_key} hidden>
        <input type="hidden" name="value" />
        <p class="field">
          <label for="device">Name of this device</label>
          <input id="device" name="label" value={device} maxlength={200} autocomplete="off" />
        </p>
        <p>
          <button type="submit">Alert me here</button>
        </p>
      </form>
      <p data-no-browser-alerts>
        This browser cannot be alerted here: that takes scripts, and an address of https or localhost. On an iPhone or
        iPad, add Vigil to the Home Screen and open it from there.
      </p>
    </section>
  );
}
