/**
 * `npm run deploy`: from a Cloudflare account to a running service, and to the next version of it. What it needs to know
 * again lies in `.deploy/NAME`, which git ignores; wrangler.toml is read and never written.
 */
import { deploy } from "./deploy/deployment.ts";
import { readOptions, USAGE } from "./deploy/options.ts";
import { realDeployment } from "./deploy/real-deployment.ts";
import { destroy } from "./deploy/removal.ts";
import { runCommand, withUsage } from "./local/command-error.ts";

const options = withUsage(USAGE, () => readOptions(process.argv.slice(2)));
await runCommand(() => (options.destroy ? destroy : deploy)(realDeployment(options)));
