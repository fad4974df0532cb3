import type { Wording } from "../contract/webhook.ts";
import type { AlertMessage } from "../domain/alert-messages.ts";
import { fillTemplate, parseTemplate, type TemplateValues } from "../domain/message-template.ts";
import { oneLine } from "../lib/one-line.ts";
import { shorten } from "../lib/plain-text.ts";
import type { Notifier, NotifierInput } from "./port.ts";
import { templateValuesOf } from "./template-values.ts";

/** Filled, they fit where the words of the service do. */
const TITLE_MAX = 300;
const TEXT_MAX = 4000;

/** What is wrong with the words of an owner, as a sentence that names the wire field; null where nothing is. */
export function findWordingFlaw({ title, text }: Wording): string | null {
  for (const [path, template] of [
    ["message_title", title],
    ["message_text", text],
  ] as const) {
    const parsed = parseTemplate(template ?? "");
    if (parsed.kind === "flawed") return `${path} ${parsed.message}`;
  }
  return null;
}

/**
 * The message in the words of the channel's owner. Its tone, thread and links stay, so that it can be acknowledged and ends
 * what it began; what comes out empty stays in the words of the service.
 */
export function inOwnWords(input: NotifierInput, notifier: Notifier, wording: Wording): AlertMessage {
  const { message } = input;
  if (notifier.hasOwnText || (wording.title === null && wording.text === null)) return message;
  const values = templateValuesOf(input);
  const title = oneLine(fill(wording.title, values, TITLE_MAX));
  const text = fill(wording.text, values, TEXT_MAX);
  // Without the heading of the service a subject begins with a word of its own, such as `Alert:`.
  const { heading: _, ...untitled } = message;
  return {
    ...(title === "" ? message : { ...untitled, title }),
    ...(text !== "" && { text, is_markdown: false, facts: [] }),
  };
}

/** Templates that are stored were parsed when they were saved. */
function fill(template: string | null, values: TemplateValues, length: number): string {
  const parsed = parseTemplate(template ?? "");
  if (parsed.kind === "flawed") throw new Error(`the stored wording ${parsed.message}`);
  return shorten(fillTemplate(parsed.parts, values).trim(), length);
}
