/** What the simulation runs: the product's own entry, and the few pieces of it with which an account is made. */
export {
  AgentObject,
  default as worker,
  LimiterObject,
  MeterObject,
  MonitorObject,
  PageObject,
  ProberObject,
  WitnessObject,
} from "../../src/entry.ts";
export { newApiToken, sha256Hex } from "../../src/platform/credentials.ts";
export { newId } from "../../src/platform/ids.ts";
