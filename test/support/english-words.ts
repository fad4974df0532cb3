import { inWords } from "../../src/dashboard/words.ts";
import { createDashboardTexts } from "../../src/language/dashboard-texts.ts";
import { readDashboardTrees } from "./texts.ts";

const ENGLISH = createDashboardTexts(readDashboardTrees("en"), "en");

/** For tests that run parts of the dashboard without a request. */
export const inEnglish = <Result>(run: () => Result): Result => inWords(ENGLISH, run);
