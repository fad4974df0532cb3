/**
 * `npm start`, of a package `vigil serve`: the whole product on this machine, in the real Workers runtime. Everything it
 * keeps lies in STATE_DIR and survives any kind of end; after any end no process stays behind. `--demo` fills it with a
 * demonstration, and `--demo remove` removes that.
 */
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { DEMO_OWNER } from "./demo/owner.ts";
import { createFirstOwner, FIRST_OWNER, issueSignInLink } from "./local/accounts.ts";
import { backUpBeforeUpgrade, backupsOf, keepBackups } from "./local/backups.ts";
import { startClock } from "./local/clock.ts";
import { Refusal, runCommand, withUsage } from "./local/command-error.ts";
import { controlOf, findService, serveControl } from "./local/control.ts";
import { databaseOf, type Execute } from "./local/database.ts";
import { guardRuntimes } from "./local/guard.ts";
import { lockState } from "./local/lock.ts";
import { commandOf } from "./local/paths.ts";
import { findPort } from "./local/port.ts";
import { prepareState } from "./local/preparation.ts";
import { type Control, callControl, newControlSecret } from "./local/runtime-control.ts";
import { loadSecrets } from "./local/secrets.ts";
import { startService } from "./local/service.ts";
import {
  addressOf,
  clientAddressHeaderOf,
  createStateDir,
  isOnlyHere,
  type StateDir,
  stateDirOf,
  urlOf,
} from "./local/settings.ts";
import { onStop } from "./local/stop.ts";

/** A service that is just being stopped lets go of its state within this time. */
const LOCK_WAIT_MS = 3000;

/**
 * `npm start` sets it for this process, which frees much of what it loads: the allocator gives that back to the system.
 * The Workers runtime, which allocates and frees all the time, does better without.
 */
delete process.env.MALLOC_TRIM_THRESHOLD_;

const USAGE = `usage: ${commandOf("serve")}
       ${commandOf("serve", "--demo [--beside]")}   filled with a demonstration; --beside: although there are other data
       ${commandOf("serve", "--demo remove")}       removes the demonstration, and ends

It listens on HOST and PORT, keeps everything in STATE_DIR, and reads its settings from the environment.`;

type Demo = "none" | "fill" | "fill_beside" | "remove";

function readArguments(args: string[]): Demo {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { demo: { type: "boolean" }, beside: { type: "boolean" } },
  });
  const isRemoval = positionals.join(" ") === "remove";
  if (positionals.length > 0 && !isRemoval) throw new Error(`what is "${positionals.join(" ")}"?`);
  if (!values.demo && (values.beside || isRemoval)) throw new Error("--demo is missing");
  if (values.beside && isRemoval) throw new Error("remove takes no --beside");
  if (!values.demo) return "none";
  return isRemoval ? "remove" : values.beside ? "fill_beside" : "fill";
}

const demo = withUsage(USAGE, () => readArguments(process.argv.slice(2)));

async function start(): Promise<void> {
  if (demo === "remove" && (await removeFromRunning(stateDirOf(process.env)))) return process.exit(0);
  const running = new AsyncDisposableStack();
  const stopping = onStop(() => running.disposeAsync());
  try {
    await serve(running, stopping);
  } catch (error) {
    // What fails because we are being stopped is no failure.
    if (!stopping.aborted) throw error;
  }
}

async function serve(running: AsyncDisposableStack, stopping: AbortSignal): Promise<void> {
  const stateDir = stateDirOf(process.env);
  const { host, port } = addressOf(process.env);
  const address = { host, port: await findPort({ host, port }) };
  const url = urlOf(address);
  createStateDir(stateDir);
  const backups = backupsOf(process.env);
  const lock = lockState(stateDir, LOCK_WAIT_MS);
  if (!lock)
    throw new Refusal(`another service runs on ${stateDir.path}: stop it or set STATE_DIR to another directory`);
  running.use(lock);

  const isDemonstration = demo !== "none" || existsSync(stateDir.demonstration);
  if (isDemonstration) keepMailHere();
  guardRuntimes();
  const config = await prepareState(stateDir, stopping, async () => {
    if (backups) await backUpBeforeUpgrade(stateDir, backups);
  });
  const bindings = {
    PUBLIC_URL: url,
    ...(isOnlyHere(process.env) ? { ONLY_HERE: "true" } : {}),
    // What the demonstration asks of the service would hide the link that signs its visitor in.
    ...(isDemonstration ? { DEMONSTRATION: DEMO_OWNER, LOG_LEVEL: "warn" } : {}),
    ...loadSecrets(stateDir),
  };
  const control = { origin: url, secret: newControlSecret() };
  const input = {
    config,
    stateDir,
    bindings,
    controlSecret: control.secret,
    clientAddressHeader: clientAddressHeaderOf(process.env),
  };
  running.use(await startService(input, address, stopping));
  const execute = databaseOf(control);
  const { env } = process;
  const publicUrl = env.PUBLIC_URL?.replace(/\/+$/, "") || url;
  await serveControl(stateDir, {
    execute,
    url,
    publicUrl,
    backup_dir: backups?.dir ?? null,
    client_address_header: clientAddressHeaderOf(env),
    sends_mail: Boolean(env.MAIL_FROM && (env.SMTP_URL || env.MAIL_HTTP_URL)),
  });
  await callControl(control, "/health", {});
  await clearPlannedMinute(execute);
  running.use(startClock((scheduledTime) => fireCron(control, config.cron, scheduledTime)));

  const token = await createFirstOwner(execute);
  if (isDemonstration) await runDemonstration(running, { control, execute, stateDir });
  if (backups) running.use(keepBackups(stateDir, backups));
  if (token) console.log(welcome(publicUrl, { token, link: await issueSignInLink(execute, { email: FIRST_OWNER }) }));
  console.log(`ready ${url}`);
}

/** A demonstration notifies nobody: while it is there, mail stays in the outbox. */
function keepMailHere(): void {
  for (const name of ["SMTP_URL", "MAIL_HTTP_URL"]) {
    if (process.env[name]) console.log(`${name} is not used while the demonstration is here: ${commandOf("mail")}`);
    delete process.env[name];
  }
}

/** Whether a service runs on this state, which then has removed it. */
async function removeFromRunning(stateDir: StateDir): Promise<boolean> {
  const running = await findService(stateDir);
  if (running === undefined) return false;
  const { removeDemonstration, hasDemonstration } = await import("./demo/demonstration.ts");
  const execute = controlOf(stateDir);
  if (!(await hasDemonstration(execute))) throw new Refusal("there is no demonstration here");
  await removeDemonstration({ url: running.url, execute });
  console.log("the demonstration was removed");
  return true;
}

interface Serving {
  control: Control;
  execute: Execute;
  stateDir: StateDir;
}

/** Loaded only when there is one. */
async function runDemonstration(running: AsyncDisposableStack, { control, execute, stateDir }: Serving): Promise<void> {
  const { fillDemonstration, forgetRecord, hasDemonstration, keepAlive, readRecord, removeDemonstration, writeRecord } =
    await import("./demo/demonstration.ts");
  const url = control.origin;
  const isThere = await hasDemonstration(execute);
  if (demo === "remove") {
    if (isThere) await removeDemonstration({ url, execute });
    forgetRecord(stateDir);
    console.log(isThere ? "the demonstration was removed" : "there is no demonstration here");
    await running.disposeAsync();
    process.exit(0);
  }
  const known = isThere ? readRecord(stateDir) : undefined;
  if (!known && demo === "none") return forgetRecord(stateDir);
  const addResults = async (agent_id: string, results: object[]) =>
    void (await callControl(control, "/results", { agent_id, results }));
  const record = known ?? (await fillDemonstration({ url, execute, addResults }, demo === "fill_beside"));
  if (!known) writeRecord(stateDir, record);
  running.use(keepAlive(url, record, stateDir));
  console.log(`demonstration ${url}/status/northwind`);
}

/** Messages in local queues end with their process, so what is left of this minute has to be planned again. */
async function clearPlannedMinute(execute: Execute): Promise<void> {
  const minute = Math.floor(Date.now() / 60_000) * 60_000;
  await execute([{ sql: "DELETE FROM planned_minutes WHERE minute_at >= ?", params: [minute] }]);
}

async function fireCron(control: Control, cron: string, scheduledTime: Date): Promise<void> {
  const outcome = await callControl(control, "/cron", { cron, scheduledTime: scheduledTime.getTime() });
  if (outcome !== "ok") console.error(`cron of ${scheduledTime.toISOString()}: ${outcome}`);
}

function welcome(url: string, { token, link }: { token: string; link: string }): string {
  return `
First start: the account ${FIRST_OWNER} (Owner) was created. Open this link to create its password; it works once, within an hour:

  ${url}/app/sign-in/link?token=${link}

Its API token, shown only this once:

  ${token}

API           ${url}/api/uptime/v1
Reference     ${url}/docs
OpenAPI       ${url}/openapi.json
Sign in       ${url}/app
Status pages  ${url}/status/:slug

Watch something:

  curl ${url}/api/uptime/v1/monitors \\
    -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' \\
    -d '{"name": "Example", "type": "https", "target": "https://example.com"}'

More tokens: ${commandOf("token", "--email you@your.example")}
Another sign-in link: ${commandOf("token", `--email ${FIRST_OWNER} --sign-in-link`)}
`;
}

await runCommand(start);
