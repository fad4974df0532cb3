import { tmpdir } from "node:os";

/** What the commands need of a deployment; loaded only for those that have one, because wrangler takes seconds to load. */
export async function remoteOf(name: string) {
  const { createCloudflare } = await import("../deploy/cloudflare.ts");
  const { DEPLOYMENTS_DIR, deploymentFiles } = await import("../deploy/record.ts");
  const { readRelease } = await import("../deploy/worker-config.ts");
  return {
    name,
    platform: createCloudflare(process.env),
    files: deploymentFiles(DEPLOYMENTS_DIR, name),
    release: readRelease(),
    env: process.env,
    tmpDir: tmpdir(),
  };
}
