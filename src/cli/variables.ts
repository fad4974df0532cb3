import { CommandFailure } from "./failure.ts";

/** Contents by name. */
export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * `${NAME}` in a text is that variable of the environment, so that no secret has to be in a file. One more `$` before it
 * makes it a text: `$${NAME}` is the text `${NAME}`.
 */
const VARIABLE = /(\$+)\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

export function substituteVariables(value: unknown, env: Variables): unknown {
  return replaceInTexts(value, (whole, signs, variable) => {
    if (signs.length > 1) return whole.slice(1);
    const content = env[variable];
    if (content === undefined) throw new CommandFailure(`the environment has no ${variable}`);
    return content;
  });
}

/** Names of the variables that a value needs. */
export function variablesIn(value: unknown): string[] {
  const names = new Set<string>();
  replaceInTexts(value, (whole, signs, variable) => {
    if (signs.length === 1) names.add(variable);
    return whole;
  });
  return [...names];
}

/** The same value, in which nothing stands for a variable. */
export function escapeVariables(value: unknown): unknown {
  return replaceInTexts(value, (whole) => `$${whole}`);
}

function replaceInTexts(value: unknown, replace: (whole: string, signs: string, variable: string) => string): unknown {
  if (typeof value === "string") return value.replace(VARIABLE, replace);
  if (Array.isArray(value)) return value.map((item) => replaceInTexts(item, replace));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaceInTexts(item, replace)]));
}
