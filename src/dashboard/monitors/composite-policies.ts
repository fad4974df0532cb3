import type { Option } from "../form-fields.ts";
import { words } from "../words.ts";

const COUNTS = [2, 3, 4, 5];
const PERCENTAGES = [25, 50, 75];

/** How many members have to be down, in words: "at least 2 members are down". */
export function compositePolicyInWords(policy: string): string {
  const { options } = words("dashboard-monitors").form_fields.composite_policy;
  const [name, number] = policy.split(":");
  switch (name) {
    case "all":
      return options.all;
    case "at_least":
      return number === "1" ? options.worst : options.at_least({ n: Number(number) });
    case "percent":
      return options.percent({ n: Number(number) });
    default:
      return options.worst;
  }
}

/** Offered; the API takes any number, and what is stored is kept. */
export function compositePolicies(): Option[] {
  return [
    "worst",
    ...COUNTS.map((count) => `at_least:${count}`),
    ...PERCENTAGES.map((percentage) => `percent:${percentage}`),
    "all",
  ].map((value) => ({ value, label: compositePolicyInWords(value) }));
}
