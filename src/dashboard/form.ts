import type { z } from "zod";
import { ApiError } from "../contract/errors.ts";
import { invalidInput } from "../http/errors.ts";
import { words } from "./words.ts";

/** What is wrong, as sentences by the name of the field that they stand beside. */
export type Problems = Partial<Record<"email" | "name" | "password" | "code" | "passkey", string>>;

export interface FormErrors {
  status: 400 | 401 | 429;
  problems: Problems;
  headers: Record<string, string>;
}

const FIELDS: readonly string[] = ["email", "name", "password", "code", "passkey"] satisfies (keyof Problems)[];

/** Fields of a form by a schema of the contract; one that was left empty counts as absent. */
export function parseFields<Schema extends z.ZodType>(
  schema: Schema,
  form: URLSearchParams,
  names: readonly string[],
): z.output<Schema> {
  const result = schema.safeParse(Object.fromEntries(names.map((name) => [name, form.get(name) || undefined])));
  if (!result.success) throw invalidInput(result.error);
  return result.data;
}

/** What a person can mend is said on the form that they sent; everything else is not theirs. */
export function toFormErrors(error: unknown): FormErrors {
  const texts = words("dashboard-frame").form_errors;
  if (!(error instanceof ApiError)) throw error;
  const { status, headers } = error;
  if (status === 429) {
    const text = texts.too_many({ seconds: headers["Retry-After"] ?? "60" });
    return { status, headers, problems: { password: text } };
  }
  if (status === 401) return { status, headers, problems: problemsOfSignIn(error.code) };
  const problems: Problems = {};
  for (const { path, message } of error.details ?? []) {
    if (isField(path)) problems[path] ??= `${texts.subjects[path]} ${message}.`;
  }
  if (status !== 400 || Object.keys(problems).length === 0) throw error;
  return { status, headers, problems };
}

function problemsOfSignIn(code: string | undefined): Problems {
  const text = words("dashboard-frame").form_errors;
  switch (code) {
    case "totp_required":
      // The first form has no field for it, so that its absence is no mistake: the next one asks for it.
      return {};
    case "totp_wrong":
      return { code: text.code };
    case "passkey_refused":
      return { passkey: text.passkey };
    default:
      return { password: text.password };
  }
}

function isField(path: string): path is keyof Problems {
  return FIELDS.includes(path);
}

/** Where to go on to: a path of this service, or the start. */
export function pathAfter(next: string | null | undefined, publicUrl: string): string {
  if (!next || !/^\/[\x21-\x7e]*$/.test(next)) return "/app";
  // What a browser makes of it decides, because it reads `//host` and `/\host` as another site.
  const url = URL.canParse(next, publicUrl) ? new URL(next, publicUrl) : undefined;
  if (url?.origin !== new URL(publicUrl).origin) return "/app";
  const path = url.pathname + url.search;
  return path.startsWith("//") ? "/app" : path;
}
