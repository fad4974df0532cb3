import { WEBHOOK_PROVIDERS, type WebhookProvider } from "../../contract/webhook.ts";
import type { PreviewedMessage } from "../../features/webhooks/preview.ts";
import { FieldRow, Fields } from "../components/fields.tsx";
import { TileChoice } from "../components/tile-choice.tsx";
import type { FormField, FormValues, Problems } from "../form-fields.ts";
import { words } from "../words.ts";
import { descriptionOf, nameFields, providerFields, providersByFamily } from "./form.ts";
import { ProviderMark } from "./provider-mark.tsx";

/** The way to a form for one provider, without script too. */
export function ProviderTiles({ chosen }: { chosen: WebhookProvider }) {
  const text = words("dashboard-alerts").channel_form.tiles;
  return (
    <TileChoice
      of="provider"
      label={text.label}
      heading={text.heading}
      families={providersByFamily().map(({ heading, providers }) => ({
        heading,
        tiles: providers.map((value) => ({
          value,
          href: `/app/alerts/new?provider=${value}`,
          mark: <ProviderMark of={value} />,
          text: descriptionOf(value).label,
        })),
      }))}
      chosen={chosen}
    />
  );
}

interface ChannelFieldsProps {
  provider: WebhookProvider;
  isStored: boolean;
  scope: readonly FormField[];
  values: FormValues;
  problems: Problems;
}

/**
 * Name and provider, the fields of that provider with its steps, and what it hears of. Without script a button asks for
 * those of another one.
 */
export function ChannelFields({ provider, isStored, scope, values, problems }: ChannelFieldsProps) {
  return (
    <>
      {nameFields().map((field) => (
        <FieldRow field={field} values={values} problems={problems} />
      ))}
      <p class="actions" data-unscripted>
        <button type="submit" class="second" name="intent" value="fields" formnovalidate>
          {words("dashboard-alerts").channel_form.show_fields}
        </button>
      </p>
      <div class="fields" data-provider-fields>
        <ProviderPart provider={provider} isStored={isStored} values={values} problems={problems} />
      </div>
      <Fields fields={scope} values={values} problems={problems} />
    </>
  );
}

/** The fields of every provider, for the script to show when another one is chosen. */
export function ProviderTemplates() {
  return (
    <>
      {WEBHOOK_PROVIDERS.map((provider) => (
        <template data-provider={provider}>
          <ProviderPart provider={provider} isStored={false} values={{}} problems={{}} />
        </template>
      ))}
    </>
  );
}

interface ProviderPartProps {
  provider: WebhookProvider;
  /** The channel has these fields already. */
  isStored: boolean;
  values: FormValues;
  problems: Problems;
}

function ProviderPart({ provider, isStored, values, problems }: ProviderPartProps) {
  const { label, steps } = descriptionOf(provider);
  return (
    <>
      <details class="steps">
        <summary>{words("dashboard-alerts").channel_form.steps({ provider: label })}</summary>
        <ol>
          {steps.map((step) => (
            <li>{withoutMarks(step)}</li>
          ))}
        </ol>
      </details>
      {providerFields(provider, isStored).map((field) => (
        <FieldRow field={field} values={values} problems={problems} />
      ))}
    </>
  );
}

/** What each event would send, as a developer reads it; the first may be one that happened. */
export function Previews({ messages }: { messages: readonly PreviewedMessage[] }) {
  const text = words("dashboard-alerts").channel_form;
  return (
    <section aria-label={words("dashboard-alerts").channels.preview}>
      {messages.map(({ event, is_sent, to, headers, body }) => (
        <details open>
          <summary>{is_sent ? text.last_event({ event }) : event}</summary>
          {body === null ? (
            <p class="quiet">{text.nothing_sent}</p>
          ) : (
            <pre dir="ltr">
              <code>{[to, ...headers.map(([name, value]) => `${name}: ${value}`), "", body].join("\n")}</code>
            </pre>
          )}
        </details>
      ))}
    </section>
  );
}

/** Steps are Markdown for the documentation; here links keep their words. */
function withoutMarks(step: string): string {
  return step
    .replace(/\[([^\]]*)\]\(([^)]*)\)/g, (_all, words, address) =>
      String(address).startsWith("https:") ? `${words} (${address})` : String(words),
    )
    .replaceAll("`", "");
}
