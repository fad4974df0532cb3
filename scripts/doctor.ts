/**
 * `npm run doctor`, of a package `vigil doctor`: looks for trouble on the machine that a service runs on; and at the
 * service itself where there is a session for its API, as `vigil doctor` of src/cli does from anywhere.
 */
import { parseArgs } from "node:util";
import { examine, type Finding } from "../src/cli/doctor.ts";
import { EXIT } from "../src/cli/failure.ts";
import { hasSession, openSession } from "../src/cli/session.ts";
import { runCommand, withUsage } from "./local/command-error.ts";
import { examineMachine, waitUntilWell } from "./local/doctor.ts";
import { commandOf } from "./local/paths.ts";
import { stateDirOf } from "./local/settings.ts";

const USAGE = `usage: ${commandOf("doctor", "[--json] [--wait SECONDS]")}

Looks at the machine, the service that runs on STATE_DIR and its backups; with a session (login), at the service by its API, too.
--wait only waits, until the service says that it is well, and fails where it does not within that time.
Exit status: 0 all is well, 3 there is something to look at.`;

const { json, wait } = withUsage(USAGE, () => {
  const { values } = parseArgs({ options: { json: { type: "boolean", default: false }, wait: { type: "string" } } });
  const seconds = values.wait === undefined ? undefined : Number(values.wait);
  if (seconds !== undefined && !(seconds > 0)) throw new Error("--wait takes seconds");
  return { json: values.json, wait: seconds };
});
await runCommand(async () => {
  if (wait !== undefined) {
    await waitUntilWell(stateDirOf(process.env), 1000 * wait);
    return;
  }
  const findings: Finding[] = await examineMachine(stateDirOf(process.env), { now: Date.now });
  if (hasSession(process.env)) findings.push(...(await examine(openSession(process.env), { now: Date.now })));
  if (json) console.log(JSON.stringify(findings, null, 2));
  else
    for (const { subject, isWell, detail } of findings)
      console.log(`${isWell ? "ok  " : "LOOK"} ${subject}: ${detail}`);
  process.exitCode = findings.every(({ isWell }) => isWell) ? EXIT.done : EXIT.attention;
});
