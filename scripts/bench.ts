import { benchAlerts } from "./bench/alerts.ts";
import { benchApi } from "./bench/api.ts";
import { benchChecks, benchTimeouts } from "./bench/checks.ts";
import { benchPage } from "./bench/page.ts";
import { benchPush } from "./bench/push.ts";
import { benchReceivers } from "./bench/receivers.ts";
import { benchRules } from "./bench/rules.ts";

/** `npm run bench -- <name>`: measurements that take minutes and want the machine for themselves. */
const BENCHES: Record<string, (minutes: number) => Promise<void>> = {
  checks: benchChecks,
  timeouts: benchTimeouts,
  page: benchPage,
  push: benchPush,
  alerts: benchAlerts,
  api: benchApi,
  rules: benchRules,
  receivers: benchReceivers,
};

const [name = "", minutes = "3"] = process.argv.slice(2);
const bench = BENCHES[name];
if (!bench) {
  console.error(`usage: npm run bench -- ${Object.keys(BENCHES).join("|")} [minutes]`);
  process.exit(2);
}
await bench(Number(minutes));
