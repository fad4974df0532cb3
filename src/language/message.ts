import { lazy } from "../lib/lazy.ts";

/**
 * Messages as scripts/language.ts compiles them of ICU MessageFormat: what is left to do at run time is to choose a form
 * and to put in what belongs there.
 */

/** A text, or its parts in the order of its language. */
export type Compiled = string | readonly Part[];
type Part =
  | string
  | readonly [kind: "text", name: string]
  | readonly [kind: "number", name: string]
  | readonly [kind: "plural" | "select", name: string, forms: Readonly<Record<string, Compiled>>];

/** The messages of an area, by the names in its catalogue. */
export interface Tree {
  readonly [name: string]: Compiled | Tree;
}

/** A message with arguments. */
export interface Message<Arguments> {
  (values: Arguments): string;
  /** The same, where what is put in may be elements. */
  parts<Element>(
    values: { [Name in keyof Arguments]: Arguments[Name] | Element },
  ): (string | Arguments[keyof Arguments] | Element)[];
}

/** Makes the texts of a language of its messages: strings, and functions where a message has arguments. */
export function speak<Texts>(tree: Tree, locale: string): Texts {
  const grammar = {
    numbers: lazy(() => new Intl.NumberFormat(locale)),
    plurals: lazy(() => new Intl.PluralRules(locale)),
  };
  const speakOne = (node: Compiled | Tree): unknown => {
    if (typeof node === "string") return node;
    if (isMessage(node)) return toMessage(node, grammar);
    return Object.fromEntries(Object.entries(node).map(([name, child]) => [name, speakOne(child)]));
  };
  // The compiler writes the type of an area and its messages of one catalogue, and holds all languages to it.
  return speakOne(tree) as Texts;
}

/** The forms of a message that counts something, for scripts that count: `{n}` is where the number goes. */
export function formsOf(message: Message<{ n: number }>, locale: string): Partial<Record<Intl.LDMLPluralRule, string>> {
  const plurals = new Intl.PluralRules(locale);
  const samples = Array.from({ length: SAMPLES }, (_, n) => n).reverse();
  return Object.fromEntries(samples.map((n) => [plurals.select(n), message({ n }).replace(String(n), "{n}")]));
}

/** Among so many numbers each form of a language occurs that whole numbers below a million have. */
const SAMPLES = 101;

interface Grammar {
  numbers: () => Intl.NumberFormat;
  plurals: () => Intl.PluralRules;
}

function isMessage(node: Compiled | Tree): node is readonly Part[] {
  return Array.isArray(node);
}

function toMessage(parts: readonly Part[], grammar: Grammar) {
  const fill = (values: Record<string, unknown>) => fillIn(parts, values, grammar);
  return Object.assign((values: Record<string, unknown>) => fill(values).join(""), { parts: fill });
}

function fillIn(message: Compiled, values: Record<string, unknown>, grammar: Grammar): unknown[] {
  if (typeof message === "string") return [message];
  return message.flatMap((part) => {
    if (typeof part === "string") return [part];
    const value = values[part[1]];
    if (part[0] === "text") return [value];
    if (part[0] === "number") return [typeof value === "number" ? grammar.numbers().format(value) : value];
    return fillIn(chooseForm(part[2], value, grammar), values, grammar);
  });
}

function chooseForm(forms: Readonly<Record<string, Compiled>>, value: unknown, { plurals }: Grammar): Compiled {
  const exact = typeof value === "number" ? forms[`=${value}`] : forms[String(value)];
  return exact ?? (typeof value === "number" ? forms[plurals().select(value)] : undefined) ?? forms.other ?? "";
}
