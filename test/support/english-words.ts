import { inWords } from "../../src/dashboard/words.ts";
import { englishDashboardTexts } from "../../src/language/dashboard-texts.ts";

/** For tests that run parts of the dashboard without a request. */
export const inEnglish = <Result>(run: () => Result): Result => inWords(englishDashboardTexts(), run);
