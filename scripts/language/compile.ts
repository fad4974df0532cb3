import { type MessageFormatElement, parse, TYPE } from "@formatjs/icu-messageformat-parser";
import type { Compiled, Tree } from "../../src/language/message.ts";

/** Compiles catalogues of ICU MessageFormat, in which the English one decides what messages there are. */

export interface Catalogue {
  [name: string]: string | Catalogue;
}

/** What a message is given: the type of each argument. */
export type Arguments = Record<string, Set<string>>;

export interface Problem {
  /** Of the message: `home.more`. */
  path: string;
  problem: string;
}

/** A catalogue with its messages compiled; what a translation lacks, or has wrong, is English. */
export function compileCatalogue(
  english: Catalogue,
  { catalogue, locale }: { catalogue: Catalogue; locale: string },
): { tree: Tree; problems: Problem[]; missing: string[] } {
  const problems: Problem[] = [];
  const missing: string[] = [];
  const compileNode = (source: Catalogue, translation: Catalogue, path: string): Tree => {
    for (const name of Object.keys(translation)) {
      if (source[name] === undefined && !isRemark(name))
        problems.push({ path: path + name, problem: "English has no such message" });
    }
    return Object.fromEntries(
      messagesOf(source).map(([name, original]) => {
        const own = translation[name];
        if (typeof original !== "string") {
          return [name, compileNode(original, typeof own === "object" ? own : {}, `${path}${name}.`)];
        }
        if (typeof own !== "string" || own.trim() === "") {
          missing.push(path + name);
          return [name, compileMessage(original)];
        }
        const problem = findProblem(original, own, locale);
        if (problem !== null) problems.push({ path: path + name, problem });
        return [name, compileMessage(problem === null ? own : original)];
      }),
    );
  };
  return { tree: compileNode(english, catalogue, ""), problems, missing };
}

/** Entries such as `$note`, which are for translators. */
function isRemark(name: string): boolean {
  return name.startsWith("$");
}

export function messagesOf(catalogue: Catalogue): [string, string | Catalogue][] {
  return Object.entries(catalogue).filter(([name]) => !isRemark(name));
}

export function compileMessage(message: string): Compiled {
  return compact(read(message), "");
}

/** What is wrong with a translation; null where nothing is. */
export function findProblem(original: string, translation: string, locale: string): string | null {
  let elements: MessageFormatElement[];
  try {
    elements = read(translation);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const expected = argumentsOf(read(original));
  const given = argumentsOf(elements);
  const foreign = Object.keys(given).find((name) => !expected[name]);
  if (foreign !== undefined) return `{${foreign}} is no argument of this message`;
  const lost = Object.keys(expected).find((name) => !given[name]);
  if (lost !== undefined) return `{${lost}} is missing`;
  return findWrongForm(elements, locale);
}

function findWrongForm(elements: readonly MessageFormatElement[], locale: string): string | null {
  const rules = new Intl.PluralRules(locale);
  const all = new Set<string>(rules.resolvedOptions().pluralCategories);
  // Forms of whole numbers that are no multiples of a million.
  const needed = new Set<string>(Array.from({ length: 1001 }, (_, n) => rules.select(n)));
  for (const element of elements) {
    if (element.type !== TYPE.plural && element.type !== TYPE.select) continue;
    const forms = Object.keys(element.options);
    if (element.type === TYPE.plural) {
      const wrong = forms.find((form) => !form.startsWith("=") && !all.has(form));
      if (wrong !== undefined) return `the language has no plural form "${wrong}"`;
      const lacking = [...needed].find((form) => !forms.includes(form));
      if (lacking !== undefined) return `{${element.value}} lacks the plural form "${lacking}"`;
    }
    for (const { value } of Object.values(element.options)) {
      const inner = findWrongForm(value, locale);
      if (inner !== null) return inner;
    }
  }
  return null;
}

export function argumentsOf(elements: readonly MessageFormatElement[], found: Arguments = {}): Arguments {
  const note = (name: string, type: string) => {
    found[name] ??= new Set();
    found[name].add(type);
  };
  for (const element of elements) {
    if (element.type === TYPE.argument) note(element.value, "text");
    if (element.type === TYPE.number) note(element.value, "number");
    if (element.type !== TYPE.plural && element.type !== TYPE.select) continue;
    note(element.value, element.type === TYPE.plural ? "number" : "text");
    for (const { value } of Object.values(element.options)) argumentsOf(value, found);
  }
  return found;
}

export function read(message: string): MessageFormatElement[] {
  return parse(message, { ignoreTag: true, requiresOtherClause: true });
}

/** `counted` is what "#" stands for. */
function compact(elements: readonly MessageFormatElement[], counted: string): Compiled {
  const [only] = elements;
  if (only === undefined) return "";
  if (elements.length === 1 && only.type === TYPE.literal) return only.value;
  return elements.map((element) => {
    switch (element.type) {
      case TYPE.literal:
        return element.value;
      case TYPE.argument:
        return ["text", element.value] as const;
      case TYPE.number:
        return ["number", element.value] as const;
      case TYPE.pound:
        return ["number", counted] as const;
      case TYPE.plural:
      case TYPE.select: {
        if (element.type === TYPE.plural && (element.offset !== 0 || element.pluralType !== "cardinal")) {
          throw new Error(`{${element.value}}: only plural forms without offset are known`);
        }
        const inner = element.type === TYPE.plural ? element.value : counted;
        const forms = Object.entries(element.options).map(
          ([form, { value }]) => [form, compact(value, inner)] as const,
        );
        return [element.type === TYPE.plural ? "plural" : "select", element.value, Object.fromEntries(forms)] as const;
      }
      default:
        throw new Error("dates and times are formatted by the code, in the zone of their page");
    }
  });
}

/** The type of the texts of an area, as source. */
export function typeOf(catalogue: Catalogue): string {
  const members = messagesOf(catalogue).map(([name, message]) => {
    const key = /^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name);
    return `${key}: ${typeof message === "string" ? typeOfMessage(message) : typeOf(message)};`;
  });
  return `{ ${members.join(" ")} }`;
}

function typeOfMessage(message: string): string {
  const all = Object.entries(argumentsOf(read(message)));
  if (all.length === 0) return "string";
  const types = all.map(([name, kinds]) => `${name}: ${kinds.has("number") ? "number" : "string | number"}`);
  return `Message<{ ${types.join("; ")} }>`;
}
