import { EVENT_NAMES, EVENTS } from "../../src/contract/events.ts";
import { MONITOR_TYPES, REGIONS, regionName } from "../../src/contract/monitor-values.ts";
import { WEBHOOK_PROVIDERS } from "../../src/contract/webhook.ts";
import { PROVIDER_FAMILIES, type ProviderDescription } from "../../src/notifiers/port.ts";
import { notifierOf } from "../../src/notifiers/registry.ts";
import { monitorType } from "../../src/probes/registry.ts";
import { type Catalogue, compileMessage } from "./compile.ts";

/**
 * The English of what the registries name. It stays beside what it names, so that a new type of monitors or provider of
 * channels is one file and a line; this makes a catalogue of it, which other languages translate like any.
 */
export function catalogueOfRegistries(): Catalogue {
  return {
    types: byName(MONITOR_TYPES, (type) => messageOf(monitorType(type).label)),
    regions: byName(REGIONS, (region) => messageOf(regionName(region))),
    families: byName(Object.keys(PROVIDER_FAMILIES), (family) => messageOf(familyName(family))),
    providers: byName(WEBHOOK_PROVIDERS, (provider) => describe(notifierOf(provider))),
    events: byName(EVENT_NAMES, (event) => ({
      heading: messageOf(EVENTS[event].heading),
      when: messageOf(EVENTS[event].when),
    })),
  };
}

const familyName = (family: string) => PROVIDER_FAMILIES[family as keyof typeof PROVIDER_FAMILIES];

function describe({ label, fields, steps }: ProviderDescription): Catalogue {
  const labelled = fields.map((field) => [field.name, { label: messageOf(field.label), help: messageOf(field.help) }]);
  return {
    label: messageOf(label),
    fields: Object.fromEntries(labelled),
    steps: Object.fromEntries(steps.map((step, n) => [`step_${n + 1}`, messageOf(step)])),
  };
}

function byName<Name extends string>(names: readonly Name[], entryOf: (name: Name) => string | Catalogue): Catalogue {
  return Object.fromEntries(names.map((name) => [name, entryOf(name)]));
}

/** A text without arguments as a message, with the braces that it has. */
function messageOf(text: string): string {
  const message = text.replace(/'(?=[{}'])/g, "''").replace(/[{}]+/g, (braces) => `'${braces}'`);
  if (compileMessage(message) !== text) throw new Error(`no message says this as it is: ${text}`);
  return message;
}
