import type { PageTexts } from "../language/texts.ts";

/**
 * What the service writes into incidents by itself is stored in English, which the team and its channels read. Readers of
 * a page in another language read it in theirs; what is none of these sentences is a text of people and stays.
 */
type Say = (said: { texts: PageTexts; name: string; n: number }) => string;

const SENTENCES: readonly (readonly [pattern: RegExp, say: Say])[] = [
  [/^(?<n>\d+) services? (?:is|are) (?:down|failing their checks\.)$/, ({ texts, n }) => texts.automatic.down({ n })],
  [/^(?<n>\d+) services were down$/, ({ texts, n }) => texts.automatic.were_down({ n })],
  [/^All services are up again\.$/, ({ texts }) => texts.automatic.all_up],
  [/^None of these services is down any more\.$/, ({ texts }) => texts.automatic.all_up],
  [/^Back to normal\.$/, ({ texts }) => texts.automatic.normal],
  [/^(?<name>.+) is down$/, ({ texts, name }) => texts.headline.down.one({ name })],
  [/^(?<name>.+) is failing its checks\.$/, ({ texts, name }) => texts.automatic.failing({ name })],
  [/^(?<name>.+) is up again(?: and stable)?\.$/, ({ texts, name }) => texts.automatic.up_again({ name })],
  [/^(?<name>.+) is affected\.$/, ({ texts, name }) => texts.automatic.affected({ name })],
  [/^(?<name>.+) is no longer monitored\.$/, ({ texts, name }) => texts.automatic.unmonitored({ name })],
  [
    /^(?<name>.+) keeps failing and recovering\. The incident stays open until it has been stable for 5 minutes\.$/,
    ({ texts, name }) => texts.automatic.flapping({ name }),
  ],
];

export function inLanguageOf(texts: PageTexts, text: string): string {
  if (texts.language === "en") return text;
  for (const [pattern, say] of SENTENCES) {
    const found = pattern.exec(text);
    if (found) return say({ texts, name: nameOf(found.groups?.name, texts), n: Number(found.groups?.n) });
  }
  return text;
}

/** The name that a hidden service has in public. */
function nameOf(name = "", { automatic }: PageTexts): string {
  return name === "The service" ? automatic.service : name;
}
