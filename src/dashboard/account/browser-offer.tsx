import { browserName } from "../../domain/browser-name.ts";
import { readApplicationKey } from "../../features/notify-contacts/service.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { words } from "../words.ts";

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
  const text = words("dashboard-account").contacts.browser;
  return (
    <section class="card" aria-labelledby="browser-alerts">
      <h2 id="browser-alerts">{text.title}</h2>
      <p class="quiet">{text.hint}</p>
      <form method="post" action={BROWSER_PATH} data-application-key={application_key} hidden>
        <input type="hidden" name="value" />
        <p class="field">
          <label for="device">{text.device}</label>
          <input id="device" name="label" value={device} maxlength={200} autocomplete="off" />
        </p>
        <p>
          <button type="submit">{text.alert}</button>
        </p>
      </form>
      <p data-no-browser-alerts>{text.missing}</p>
    </section>
  );
}
