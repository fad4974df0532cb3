import type { z } from "zod";
import type { Capture, JourneyStep } from "../contract/journey.ts";
import { filledTextsOf, placeholdersIn, secretNameOf } from "../domain/placeholders.ts";
import { captureProblem } from "./body-match.ts";
import { pathProblem } from "./json-assertions.ts";

/** What the steps of a journey must agree on before they are saved. */

/** The host is spelled out, so that no answer decides where the secrets of later steps go. */
const STATIC_ORIGIN = /^(?:https?:\/\/[^\s/?#{}]+(?=[/?#]|$)|\/(?!\/))/i;
/** A token of RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

export function checkSteps(steps: readonly JourneyStep[], ctx: z.RefinementCtx): void {
  const known = new Set(["now", "uuid"]);
  const names = new Set<string>();
  for (const [n, step] of steps.entries()) {
    const refuse = (field: string, problem: string) =>
      ctx.addIssue({ code: "custom", message: `${field} ${problem}`, path: ["steps", n, field] });
    if (names.has(step.name)) refuse("name", "is that of another step");
    names.add(step.name);
    const problem = addressProblem(step.url);
    if (problem) refuse("url", problem);
    const conflict = bodyConflict(step);
    if (conflict) refuse(conflict, `must be empty for ${step.method}`);
    for (const [field, placeholder] of placeholdersOf(step)) {
      if (secretNameOf(placeholder) === null && !known.has(placeholder)) {
        refuse(field, `uses {{${placeholder}}}, which no earlier step captures`);
      }
    }
    for (const { path } of step.json_assertions) {
      const wrong = pathProblem(path);
      if (wrong) refuse("json_assertions", wrong);
    }
    for (const capture of step.captures) {
      const wrong = capturePathProblem(capture);
      if (wrong) refuse("captures", `has a path for ${capture.name} that ${wrong}`);
      known.add(capture.name);
    }
  }
}

function placeholdersOf(step: JourneyStep): [field: string, placeholder: string][] {
  return filledTextsOf(step).flatMap(([field, text]) =>
    placeholdersIn(text).map((placeholder): [string, string] => [field, placeholder]),
  );
}

function addressProblem(text: string): string | null {
  if (!STATIC_ORIGIN.test(text))
    return "must begin with https://host, http://host or / and name its host without {{…}}";
  const url = addressOf(text);
  if (!url) return "must be an address";
  return url.username === "" && url.password === "" ? null : "must not contain a user name or password";
}

/** As it is known before anything is filled in; a path stands at a host of no meaning. */
export function addressOf(text: string, base = "https://target.invalid"): URL | null {
  return URL.canParse(text, base) ? new URL(text, base) : null;
}

function bodyConflict({
  method,
  body,
  expected_body,
  json_assertions,
  captures,
}: JourneyStep): keyof JourneyStep | null {
  const isHead = method === "HEAD";
  if (body !== "" && (isHead || method === "GET")) return "body";
  if (isHead && expected_body !== "") return "expected_body";
  if (isHead && json_assertions.length > 0) return "json_assertions";
  return isHead && captures.some(({ from }) => from === "json" || from === "regex") ? "captures" : null;
}

function capturePathProblem({ from, path }: Capture): string | null {
  switch (from) {
    case "json":
      return pathProblem(path);
    case "regex":
      return captureProblem(path);
    case "header":
    case "cookie":
      return TOKEN.test(path) ? null : "is no name";
  }
}
