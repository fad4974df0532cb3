import { createCloudflare } from "./cloudflare.ts";
import type { Deployment } from "./deployment.ts";
import type { DeployOptions } from "./options.ts";
import { DEPLOYMENTS_DIR, deploymentFiles } from "./record.ts";
import { readRelease } from "./worker-config.ts";

/** A check of it shows that the deployed service reaches the world. */
const CHECKED_TARGET = "https://example.com/";

/** Of this checkout, to the account that wrangler knows on this machine. */
export function realDeployment(options: DeployOptions): Deployment {
  return {
    options,
    platform: createCloudflare(process.env),
    files: deploymentFiles(DEPLOYMENTS_DIR, options.name),
    release: readRelease(),
    env: process.env,
    target: CHECKED_TARGET,
    print: (line) => console.log(line),
  };
}
