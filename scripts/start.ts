/**
 * `npm start`: the whole product on this machine, in the real Workers runtime. Everything it keeps lies in STATE_DIR and
 * survives any kind of end; whatever ends it, no process stays behind.
 */
import { createFirstOwner, FIRST_OWNER, issueSignInLink } from "./local/accounts.ts";
import { startClock } from "./local/clock.ts";
import { Refusal, runCommand } from "./local/command-error.ts";
import { serveControl } from "./local/control.ts";
import { databaseOf, type Execute } from "./local/database.ts";
import { guardRuntimes } from "./local/guard.ts";
import { lockState } from "./local/lock.ts";
import { findPort } from "./local/port.ts";
import { prepareState } from "./local/preparation.ts";
import { type Control, callControl, newControlSecret } from "./local/runtime-control.ts";
import { loadSecrets } from "./local/secrets.ts";
import { startService } from "./local/service.ts";
import { addressOf, createStateDir, stateDirOf, urlOf } from "./local/settings.ts";
import { onStop } from "./local/stop.ts";

/** A service that is just being stopped lets go of its state within this time. */
const LOCK_WAIT_MS = 3000;

/**
 * `npm start` sets it for this process, which frees much of what it loads: the allocator gives that back to the system.
 * The Workers runtime, which allocates and frees all the time, does better without.
 */
delete process.env.MALLOC_TRIM_THRESHOLD_;

async function start(): Promise<void> {
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
  const lock = lockState(stateDir, LOCK_WAIT_MS);
  if (!lock)
    throw new Refusal(`another service runs on ${stateDir.path}: stop it or set STATE_DIR to another directory`);
  running.use(lock);

  guardRuntimes();
  const config = await prepareState(stateDir, stopping);
  const bindings = { PUBLIC_URL: url, ...loadSecrets(stateDir) };
  const control = { origin: url, secret: newControlSecret() };
  const input = { config, stateDir, bindings, controlSecret: control.secret };
  running.use(await startService(input, address, stopping));
  const execute = databaseOf(control);
  await serveControl(stateDir, { execute, url });
  await callControl(control, "/health", {});
  await clearPlannedMinute(execute);
  running.use(startClock((scheduledTime) => fireCron(control, config.cron, scheduledTime)));

  const token = await createFirstOwner(execute);
  if (token) console.log(welcome(url, { token, link: await issueSignInLink(execute, { email: FIRST_OWNER }) }));
  console.log(`ready ${url}`);
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

More tokens: npm run --silent token -- --email you@your.example
Another sign-in link: npm run --silent token -- --email ${FIRST_OWNER} --sign-in-link
`;
}

await runCommand(start);
