/** What a package runs as `vigil`: the commands of this machine's service, and those of src/cli for any service. */
import { commandOf } from "./local/paths.ts";

const OF_THIS_MACHINE: Record<string, { run: () => Promise<unknown>; does: string }> = {
  serve: { run: () => import("./start.ts"), does: "runs the whole service here; --demo fills it with a demonstration" },
  token: { run: () => import("./token.ts"), does: "prints an API token, or a link that signs in" },
  mail: { run: () => import("./mail.ts"), does: "prints mail that was not sent" },
  backup: { run: () => import("./backup.ts"), does: "copies the service into one file, running or not" },
  restore: { run: () => import("./restore.ts"), does: "makes a service of such a file" },
  doctor: { run: () => import("./doctor.ts"), does: "looks for trouble, of this machine, its service and its backups" },
  rotate: { run: () => import("./rotate.ts"), does: "adds a key to the root secret" },
};

const [name = ""] = process.argv.slice(2);
const command = OF_THIS_MACHINE[name];
if (command) {
  process.argv.splice(2, 1);
  await command.run();
} else {
  if (name === "" || name === "--help" || name === "-h") console.error(usageOfThisMachine());
  await import("../src/cli/main.ts");
}

function usageOfThisMachine(): string {
  const lines = Object.entries(OF_THIS_MACHINE).map(([each, { does }]) => `  ${commandOf(each).padEnd(16)}${does}`);
  return ["The service of this machine, in STATE_DIR:", "", ...lines, "", "Any service, by its API:", ""].join("\n");
}
