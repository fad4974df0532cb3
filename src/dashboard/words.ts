import { AsyncLocalStorage } from "node:async_hooks";
import type { MiddlewareHandler } from "hono";
import type { Language } from "../contract/status-page.ts";
import type { AppEnv } from "../http/endpoint.ts";
import {
  type DashboardArea,
  type DashboardAreas,
  type DashboardTexts,
  loadDashboardTexts,
} from "../language/dashboard-texts.ts";

const spoken = new AsyncLocalStorage<DashboardTexts>();

/**
 * The texts of an area, in the language of the request that is being answered: `words("dashboard-monitors").list.title`.
 * Without a request, as while a module is evaluated, there is no language, and this throws: texts in a constant of a module
 * would be those of the first request.
 */
export function words<Area extends DashboardArea>(area: Area): DashboardAreas[Area] {
  return textsNow(`the words of ${area}`)(area);
}

/** Of the request. */
export function language(): Language {
  return textsNow("the language").language;
}

function textsNow(what: string): DashboardTexts {
  const texts = spoken.getStore();
  if (!texts) throw new Error(`${what} cannot be read outside a request, which alone has a language`);
  return texts;
}

/** Runs what reads words outside a request. */
export function inWords<Result>(texts: DashboardTexts, run: () => Result): Result {
  return spoken.run(texts, run);
}

/** Gives a request its language; a request within it has the same. */
export const speakWords: MiddlewareHandler<AppEnv> = async (c, next) =>
  inWords(spoken.getStore() ?? (await loadDashboardTexts(c.env, "en")), next);
