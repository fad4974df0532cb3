import { existsSync, statfsSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Finding } from "../../src/cli/doctor.ts";
import { readBackupRecord } from "./backups.ts";
import { Refusal } from "./command-error.ts";
import { findService, type Running } from "./control.ts";
import { commandOf } from "./paths.ts";
import type { StateDir } from "./settings.ts";

const FREE_BYTES_MIN = 1_000_000_000;
const HOUR_MS = 3_600_000;
/** One a day, and an hour to notice the day. */
const BACKUP_MAX_MS = 26 * HOUR_MS;
const TEST_MAX_MS = 32 * 24 * HOUR_MS;
const ANSWER_MS = 10_000;

const finding = (subject: string, isWell: boolean, detail: string): Finding => ({ subject, isWell, detail });

const LOOK_EVERY_MS = 500;

/** After a start or an upgrade. */
export async function waitUntilWell(stateDir: StateDir, ms: number): Promise<void> {
  const deadline = Date.now() + ms;
  let last = "it does not run";
  while (Date.now() < deadline) {
    const running = await findService(stateDir);
    const { isWell, detail } = running ? await examineHealth("health", running.url) : { isWell: false, detail: last };
    if (isWell) return;
    last = detail;
    await sleep(LOOK_EVERY_MS);
  }
  throw new Refusal(`the service is not well: ${last}`);
}

/** What only somebody on the machine can see. */
export async function examineMachine(stateDir: StateDir, { now }: { now: () => number }): Promise<Finding[]> {
  const node = finding("node", true, process.version);
  if (!existsSync(stateDir.path)) {
    return [
      node,
      finding("state", false, `${stateDir.path} is not there: ${commandOf("serve")} makes it, STATE_DIR names it`),
    ];
  }
  const running = await findService(stateDir);
  return [
    node,
    examineState(stateDir),
    examineDisk(stateDir),
    finding("running", running !== undefined, running ? running.url : `no: ${commandOf("serve")}`),
    ...(running ? await examineRunning(running) : []),
    ...(running?.backup_dir === null
      ? [finding("backups", false, "none: set BACKUP_DIR")]
      : examineBackups(stateDir, now())),
  ];
}

function examineState({ path }: StateDir): Finding {
  const isPrivate = (statSync(path).mode & 0o077) === 0;
  return finding("state", isPrivate, isPrivate ? path : `${path} can be read by others: chmod 700`);
}

function examineDisk({ path }: StateDir): Finding {
  const { bavail, bsize } = statfsSync(path);
  return finding("disk", bavail * bsize >= FREE_BYTES_MIN, `${((bavail * bsize) / 1e9).toFixed(1)} GB left`);
}

async function examineRunning(running: Running): Promise<Finding[]> {
  const { url, publicUrl, client_address_header, sends_mail } = running;
  const findings = [await examineHealth("health", url)];
  const isBehindProxy = publicUrl !== url;
  if (isBehindProxy) {
    findings.push(
      await examineHealth("address", publicUrl),
      finding("encryption", publicUrl.startsWith("https://"), publicUrl),
      finding(
        "proxy",
        client_address_header !== null,
        client_address_header ?? "CLIENT_ADDRESS_HEADER is not set, so limits take all visitors for one",
      ),
    );
  }
  findings.push(
    finding("mail", sends_mail, sends_mail ? "is sent" : "stays in the outbox: set MAIL_FROM and SMTP_URL"),
  );
  return findings;
}

async function examineHealth(subject: string, url: string): Promise<Finding> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(ANSWER_MS) });
    const { status } = (await response.json()) as { status?: string };
    return finding(subject, status === "ok", `${url}: ${status ?? response.status}`);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return finding(subject, false, `${url}: ${cause instanceof Error ? cause.message : cause}`);
  }
}

function examineBackups(stateDir: StateDir, now: number): Finding[] {
  const { made_at, tested_at, failure, file } = readBackupRecord(stateDir);
  const isRecent = (time: string | undefined, max: number) => time !== undefined && now - Date.parse(time) <= max;
  return [
    finding(
      "backups",
      failure === undefined && isRecent(made_at, BACKUP_MAX_MS),
      failure ?? `${made_at ?? "none yet"} ${file ?? ""}`.trim(),
    ),
    finding("restore test", isRecent(tested_at, TEST_MAX_MS), tested_at ?? "none yet"),
  ];
}
