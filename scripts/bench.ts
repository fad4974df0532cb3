import { benchAgent } from "./bench/agent.ts";
import { benchAlerts } from "./bench/alerts.ts";
import { benchAll } from "./bench/all.ts";
import { benchApi } from "./bench/api.ts";
import { benchChecks, benchTimeouts } from "./bench/checks.ts";
import { benchDashboard } from "./bench/dashboard.ts";
import { benchMachine } from "./bench/machine.ts";
import { benchOutages } from "./bench/outages.ts";
import { benchPage } from "./bench/page.ts";
import { benchPush } from "./bench/push.ts";
import { benchReaders } from "./bench/readers.ts";
import { benchReceivers } from "./bench/receivers.ts";
import { benchRules } from "./bench/rules.ts";
import { withUsage } from "./local/command-error.ts";

/** `npm run bench -- <name>`: measurements that take minutes and want the machine for themselves. */
const BENCHES: Record<string, (minutes: number) => Promise<void>> = {
  checks: benchChecks,
  machine: benchMachine,
  timeouts: benchTimeouts,
  outages: benchOutages,
  page: benchPage,
  readers: benchReaders,
  push: benchPush,
  alerts: benchAlerts,
  api: benchApi,
  dashboard: benchDashboard,
  rules: benchRules,
  receivers: benchReceivers,
  agent: benchAgent,
};

const USAGE = `usage: npm run bench -- ${Object.keys(BENCHES).join("|")} [minutes]
       npm run bench -- all [--quick] [--json FILE] [--compare FILE] [--peer kuma=DIR]`;

const [name = "", ...args] = process.argv.slice(2);
const bench = withUsage(USAGE, () => {
  if (name !== "all" && !(name in BENCHES)) throw new Error(`which measurement?`);
  return BENCHES[name];
});
if (bench) await bench(Number(args[0] ?? "3"));
else await benchAll(args);
