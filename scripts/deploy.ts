/**
 * `npm run deploy`: from a Cloudflare account to a running service, and to the next version of it. What it needs to know
 * again lies in `.deploy/NAME`, which git ignores; wrangler.toml is read and never written.
 */
import { createCloudflare } from "./deploy/cloudflare.ts";
import { deploy } from "./deploy/deployment.ts";
import { readOptions, USAGE } from "./deploy/options.ts";
import { DEPLOYMENTS_DIR, deploymentFiles } from "./deploy/record.ts";
import { destroy } from "./deploy/removal.ts";
import { readRelease } from "./deploy/worker-config.ts";
import { runCommand, withUsage } from "./local/command-error.ts";

const options = withUsage(USAGE, () => readOptions(process.argv.slice(2)));
await runCommand(() =>
  (options.destroy ? destroy : deploy)({
    options,
    platform: createCloudflare(process.env),
    files: deploymentFiles(DEPLOYMENTS_DIR, options.name),
    release: readRelease(),
    env: process.env,
    target: "https://example.com/",
    print: (line) => console.log(line),
  }),
);
