import { WEBHOOK_PROVIDERS, type WebhookProvider } from "../../contract/webhook.ts";
import type { PreviewedMessage } from "../../features/webhooks/preview.ts";
import { FieldRow, Fields } from "../components/fields.tsx";
import { TileChoice } from "../components/tile-choice.tsx";
import type { FormField, FormValues, Problems } from "../form-fields.ts";
import { descriptionOf, NAME_FIELDS, providerFields, providersByFamily } from "./form.ts";
import { ProviderMark } from "./provider-mark.tsx";

/** The way to a form for one provider, without script too. */
export function ProviderTiles({ chosen }: { chosen: WebhookProvider }) {
  return (
    <TileChoice
      of="provider"
      label="Where alerts go"
      heading="Where do alerts go?"
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
      {NAME_FIELDS.map((field) => (
        <FieldRow field={field} values={values} problems={problems} />
      ))}
      <p class="actions" data-unscripted>
        <button type="submit" class="second" name="intent" value="fields" formnovalidate>
          Show the fields of this provider
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
        <summary>How to set up {label}</summary>
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
  return (
    <section aria-label="Preview">
      {messages.map(({ event, is_sent, to, headers, body }) => (
        <details open>
          <summary>{is_sent ? `${event}, the last that happened` : event}</summary>
          {body === null ? (
            <p class="quiet">Nothing is sent about it.</p>
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
