/** Wrangler bundles the parts that scripts/parts.ts makes of entry.ts; tests and types see entry.ts itself (package.json). */
export {
  AgentObject,
  default,
  LimiterObject,
  MeterObject,
  MonitorObject,
  PageObject,
  ProberObject,
  WitnessObject,
} from "#entry";
