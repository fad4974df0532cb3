import type { Option } from "../form-fields.ts";

const COUNTS = [2, 3, 4, 5];
const PERCENTAGES = [25, 50, 75];

/** How many members have to be down, in words: "at least 2 members are down". */
export function compositePolicyInWords(policy: string): string {
  const [name, number] = policy.split(":");
  switch (name) {
    case "all":
      return "all members are down";
    case "at_least":
      return number === "1" ? WORST : `at least ${number} members are down`;
    case "percent":
      return `at least ${number} % of the members are down`;
    default:
      return WORST;
  }
}

const WORST = "any member is down";

/** Offered; the API takes any number, and what is stored is kept. */
export const COMPOSITE_POLICIES: readonly Option[] = [
  "worst",
  ...COUNTS.map((count) => `at_least:${count}`),
  ...PERCENTAGES.map((percentage) => `percent:${percentage}`),
  "all",
].map((value) => ({ value, label: compositePolicyInWords(value) }));
