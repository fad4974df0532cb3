import { SECRET_PLACEHOLDER } from "../contract/webhook.ts";
import { sha256Hex } from "../platform/credentials.ts";
import { type FormField, type FormValues, isSameValue, type Problems, shownValue, writeField } from "./form-fields.ts";
import { words } from "./words.ts";

/**
 * A form about something that exists carries a digest of each field as it was when the form was made. A field that another
 * person changes meanwhile keeps their value; where both changed one field to different values, the second person decides.
 */
export const MADE_FROM = "made_from";

/** Said without the text of the other person beyond this length. */
const QUOTED_MAX = 200;

/** Versions of what `***` stands for, by the field that shows it. */
export type MaskedVersions = Readonly<Record<string, string>>;

export function madeFrom(fields: readonly FormField[], stored: FormValues, masked: MaskedVersions = {}): string {
  const digests = fields.map((field) => `${field.name}:${digestOf(field, stored[field.name])}`);
  const versions = Object.entries(masked).map(([name, version]) => `${maskedName(name)}:${version}`);
  return [...digests, ...versions].join(" ");
}

const maskedName = (name: string) => `${name}*`;

function digestOf(field: FormField, value: FormValues[string] | undefined): string {
  return sha256Hex(JSON.stringify(shownValue(field, value))).slice(0, 10);
}

interface Merge {
  /** What was entered, with what others changed as they changed it. */
  entered: URLSearchParams;
  /** Changed by others alone. */
  others: readonly FormField[];
  /** Changed to one thing here and to another one by others. */
  conflicts: readonly FormField[];
}

/** A form that does not say what it was made from, as a program sends one, is taken as it is. */
export function mergeEntered(
  fields: readonly FormField[],
  entered: URLSearchParams,
  stored: FormValues,
  masked: MaskedVersions = {},
): Merge {
  const seen = readDigests(entered.get(MADE_FROM) ?? "");
  const merged = new URLSearchParams(entered);
  const [others, conflicts]: [FormField[], FormField[]] = [[], []];
  for (const field of fields) {
    const { name } = field;
    const former = seen.get(name);
    if (former === undefined) continue;
    const isMaskReplaced = seen.get(maskedName(name)) !== masked[name];
    if (former === digestOf(field, stored[name]) && !isMaskReplaced) continue;
    const typed = typedValue(field, entered);
    if (typed !== undefined && isSameValue(field, typed, stored[name])) {
      if (isMaskReplaced) others.push(field);
      continue;
    }
    if (typed === undefined || digestOf(field, typed) === former) {
      others.push(field);
      writeField(field, merged, stored[name]);
    } else conflicts.push(field);
  }
  return { entered: merged, others, conflicts };
}

function readDigests(text: string): Map<string, string> {
  return new Map(text.split(" ").map((part) => [part.slice(0, part.lastIndexOf(":")), part.slice(-10)]));
}

/** undefined: the form did not show the field. */
function typedValue(field: FormField, entered: URLSearchParams): FormValues[string] | undefined {
  if (field.kind === "checkbox") return entered.has(field.name);
  if (field.kind === "several") return entered.getAll(field.name);
  return entered.get(field.name) ?? undefined;
}

/**
 * Of a form that is shown again instead of being saved: beside the fields that two people changed, and about what the form
 * does not show.
 */
export function conflictProblems({ others, conflicts }: Merge, stored: FormValues, watched: readonly FormField[] = []) {
  const texts = words("dashboard-frame").merge;
  const sentences = [texts.another];
  if (conflicts.length > 0) sentences.push(texts.replaces);
  for (const field of others.filter((each) => watched.includes(each))) {
    sentences.push(texts.now({ field: field.label, value: textOf(field, stored[field.name]) || texts.none }));
  }
  const problems: Problems = { "": sentences.join(" ") };
  for (const field of conflicts) {
    const text = textOf(field, stored[field.name]);
    const isSecret = field.kind === "password" || text.includes(SECRET_PLACEHOLDER);
    const label = field.label;
    problems[field.name] = isSecret
      ? texts.changed({ field: label })
      : text === ""
        ? texts.emptied({ field: label })
        : texts.changed_to({ field: label, value: text });
  }
  return problems;
}

function textOf(field: FormField, value: FormValues[string] | undefined): string {
  const shown = shownValue(field, value);
  if (typeof shown === "boolean") return shown ? words("dashboard-frame").merge.yes : words("dashboard-frame").merge.no;
  const offered = field.kind === "select" || field.kind === "several" ? field.options : [];
  const texts = [shown].flat().map((each) => offered.find((option) => option.value === each)?.label ?? each);
  const text = texts.join(", ");
  return text.length > QUOTED_MAX ? `${text.slice(0, QUOTED_MAX)}…` : text;
}

/** Follows "Saved." in a notice; empty where no other person changed a field. */
export function keptOf({ others }: Pick<Merge, "others">): string {
  const text = words("dashboard-frame").merge;
  if (others.length === 0) return "";
  const labels = [...new Set(others.map(({ label }) => label))].join(", ");
  return text.kept({ fields: labels });
}
