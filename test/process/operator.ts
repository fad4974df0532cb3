import { deploy } from "../../scripts/deploy/deployment.ts";
import { readOptions } from "../../scripts/deploy/options.ts";
import type { Platform } from "../../scripts/deploy/platform.ts";
import { deploymentFiles } from "../../scripts/deploy/record.ts";
import { destroy } from "../../scripts/deploy/removal.ts";
import { type Release, readRelease } from "../../scripts/deploy/worker-config.ts";
import { FakeCloudflare } from "../support/cloudflare.ts";
import { temporaryDir } from "./support.ts";

export const release = readRelease();

export interface Operator {
  platform: FakeCloudflare;
  /** Stands in for the account. */
  instead?: Platform;
  dir: string;
  env?: NodeJS.ProcessEnv;
  release?: Release;
  target?: string;
}

export async function run(operator: Operator, ...args: string[]) {
  const {
    platform: account,
    instead: platform = account,
    dir,
    env = {},
    release: code = release,
    target = "https://example.com/",
  } = operator;
  const lines: string[] = [];
  const options = readOptions(args);
  const files = deploymentFiles(dir, options.name);
  const print = (line: string) => void lines.push(line);
  await (options.destroy ? destroy : deploy)({ options, platform, files, release: code, env, target, print });
  return lines.join("\n");
}

export const newOperator = (): Operator => ({ platform: new FakeCloudflare(), dir: temporaryDir() });
