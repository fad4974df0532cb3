import { runJobs } from "./checks/probe-check.ts";
import { CheckerRequest, type CheckerResponse } from "./contract/checker.ts";
import { type Settings, settingsOf } from "./platform/settings.ts";

/** A checker seals and signs nothing, so it is deployed without the root secret. */
const NO_SECRET = { ROOT_SECRET: "-".repeat(32) };
const known = new WeakMap<object, Settings>();

function checkerSettings(env: object): Settings {
  const settings = known.get(env) ?? settingsOf({ ...env, ...NO_SECRET });
  known.set(env, settings);
  return settings;
}

/**
 * The checker Worker of a region: runs probes and returns what they found. It has no storage and no address of its own;
 * the service reaches it through a binding, and its placement keeps it in the region.
 */
export default {
  async fetch(request: Request, env: object) {
    const { jobs } = CheckerRequest.parse(await request.json());
    const outcomes = await runJobs({ settings: checkerSettings(env) }, jobs, async (outcome) => outcome);
    return Response.json({ outcomes } satisfies CheckerResponse);
  },
};
