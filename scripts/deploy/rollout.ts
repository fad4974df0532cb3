import { oneLine } from "../../src/lib/one-line.ts";
import { WORKER_VERSION_HEADER } from "../../src/platform/worker-version.ts";
import { Refusal } from "../local/command-error.ts";
import { type Failures, findFailures } from "./failures.ts";
import { findOne, type Platform } from "./platform.ts";

/**
 * A new version of a Worker that serves already is uploaded beside the one that serves, tried while it serves nobody, then
 * given all requests and watched. It is never given a part of them: each request would meet one version or the other by
 * chance, and a version has its own scripts and styles alone.
 * https://developers.cloudflare.com/workers/static-assets/routing/advanced/gradual-rollouts/
 */
export interface Rollout {
  platform: Platform;
  account_id: string;
  worker: string;
  config: string;
  secrets: string;
  /** Where the Worker answers; undefined for a deployment without a trial. */
  url: string | undefined;
  print(line: string): void;
  /** Uses the service at the address, and throws what it could not do. */
  use(tried: Tried): Promise<void>;
}

/** The way to a version that may serve nobody yet. */
type Tried = Pick<Platform, "fetch" | "sleep">;

/** Cloudflare shows what failed about a minute later. */
const WATCH_ROUNDS = 12;
const WATCH_PAUSE_MS = 15_000;
/** A split of the requests reaches all of Cloudflare within seconds. */
const SPLIT_ATTEMPTS = 30;
const SPLIT_PAUSE_MS = 2_000;
/** So many bad answers in a row are no chance of the network between. */
const BAD_ANSWERS_MAX = 2;
/** How much more of the requests may fail than in the hour before; fewer failures than these say nothing. */
const FAILURE_SHARE_RISE_MAX = 0.02;
const FAILURES_MIN = 5;

/** What served before, for `goBack`; undefined where nothing could. */
export async function rollOut(rollout: Rollout): Promise<string | undefined> {
  const { platform, worker, config, secrets, print, url } = rollout;
  const before = url && (await findServing(rollout));
  const version = before && (await upload(rollout));
  if (!url || !before || !version) {
    await platform.wrangler(["deploy", "--config", config, "--secrets-file", secrets]);
    return undefined;
  }
  try {
    await serve(rollout, { [before]: 100, [version]: 0 });
    const tried = onVersion(platform, { worker, version });
    await waitForVersion(tried, { url, version });
    await rollout.use(tried);
    const usual = await findFailures(rollout, { minutes: 60 });
    print("  the new version works, serves everybody and is watched for three minutes");
    await serve(rollout, { [version]: 100 });
    await platform.wrangler(["triggers", "deploy", "--config", config]);
    await watch(rollout, tried, { url, usual });
  } catch (error) {
    await goBack(rollout, before, error);
    const hint = "--at-once deploys without a trial";
    throw new Refusal(`the new version failed its trial, so the one before serves (${hint}): ${messageOf(error)}`);
  }
  return before;
}

/** Gives all requests to the version that served before; `reason` is why, and said where that fails, too. */
export async function goBack(
  rollout: Pick<Rollout, "platform" | "config">,
  version: string,
  reason: unknown,
): Promise<void> {
  try {
    await serve(rollout, { [version]: 100 });
  } catch (error) {
    const stuck = `the version ${version} could not be brought back (${messageOf(error)}): run \`wrangler rollback\``;
    throw new Refusal(`${messageOf(reason)}; ${stuck}`);
  }
}

async function serve(
  { platform, config }: Pick<Rollout, "platform" | "config">,
  shares: Record<string, number>,
): Promise<void> {
  const versions = Object.entries(shares).map(([version, percentage]) => `${version}@${percentage}%`);
  await platform.wrangler(["versions", "deploy", ...versions, "--yes", "--config", config]);
}

/** The version that most requests go to. A run that broke off may have left two. */
async function findServing({ platform, account_id, worker }: Rollout): Promise<string | undefined> {
  const path = `/accounts/${account_id}/workers/scripts/${worker}/deployments`;
  type Found = { deployments: { versions: { version_id: string; percentage: number }[] }[] };
  const [latest] = (await findOne<Found>(platform, path))?.deployments ?? [];
  return latest?.versions.toSorted((a, b) => b.percentage - a.percentage)[0]?.version_id;
}

/** Undefined where the new version brings kinds of objects, which only a deployment at once can. */
async function upload({ platform, config, secrets, print }: Rollout): Promise<string | undefined> {
  try {
    const output = await platform.wrangler(["versions", "upload", "--config", config, "--secrets-file", secrets]);
    const version = /Worker Version ID:\s*([0-9a-f-]{36})/.exec(output)?.[1];
    if (!version) throw new Refusal(`wrangler uploaded a version and did not name it: ${oneLine(output)}`);
    return version;
  } catch (error) {
    if (!(error instanceof Refusal && error.message.includes("pending Durable Object migration"))) throw error;
    print("  at once and without a trial, because the new version brings a new kind of object");
    return undefined;
  }
}

/** https://developers.cloudflare.com/workers/versions-and-deployments/version-overrides/ */
function onVersion(platform: Platform, { worker, version }: { worker: string; version: string }): Tried {
  return {
    fetch(url, init) {
      const headers = new Headers(init?.headers);
      headers.set("Cloudflare-Workers-Version-Overrides", `${worker}="${version}"`);
      return platform.fetch(url, { ...init, headers });
    },
    sleep: (ms) => platform.sleep(ms),
  };
}

/** The header says which version answered; one that has none is of a time before the header. */
async function waitForVersion(tried: Tried, { url, version }: { url: string; version: string }): Promise<void> {
  let answer = "";
  for (let attempt = 0; attempt < SPLIT_ATTEMPTS; attempt++) {
    const { status, answered } = await ask(tried, url);
    if (status === "200" && answered === version) return;
    answer = `status ${status} of version ${answered}`;
    await tried.sleep(SPLIT_PAUSE_MS);
  }
  throw new Refusal(`${url}/health gives no answer of it: ${answer}`);
}

async function ask(tried: Tried, url: string): Promise<{ status: string; answered: string }> {
  try {
    const response = await tried.fetch(`${url}/health`);
    await response.body?.cancel();
    return { status: String(response.status), answered: response.headers.get(WORKER_VERSION_HEADER) ?? "unknown" };
  } catch (error) {
    return { status: messageOf(error), answered: "unknown" };
  }
}

/** `usual` is what failed before; undefined where the login may not read it. */
async function watch(
  rollout: Rollout,
  tried: Tried,
  { url, usual }: { url: string; usual: Failures | undefined },
): Promise<void> {
  if (usual === undefined) rollout.print("  what fails is not watched: its token lacks Account Analytics (read)");
  let bad = 0;
  for (let round = 0; round < WATCH_ROUNDS; round++) {
    await tried.sleep(WATCH_PAUSE_MS);
    const { status } = await ask(tried, url);
    bad = status === "200" ? 0 : bad + 1;
    if (bad >= BAD_ANSWERS_MAX) throw new Refusal(`${url}/health answers ${status}`);
    const failures = usual && (await findFailures(rollout, { minutes: 2 }));
    if (!failures || failures.count < FAILURES_MIN || failures.share <= usual.share + FAILURE_SHARE_RISE_MAX) continue;
    throw new Refusal(
      `${formatShare(failures.share)} of its requests fail, ${formatShare(usual.share)} did in the hour before`,
    );
  }
}

const formatShare = (share: number) => `${(100 * share).toFixed(1)}%`;

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
