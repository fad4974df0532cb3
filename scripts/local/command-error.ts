/** Ends a command with its message alone: the person can cure the cause, a stack trace would only hide it. */
export class Refusal extends Error {}

/** Runs a command; a refusal becomes one line on standard error and `exitCode`. */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    console.error(error instanceof Refusal ? error.message : error);
    process.exit(1);
  }
}

/** Ends a command that was only asked how to use it. */
function printUsageWhenAsked(usage: string): void {
  if (!process.argv.slice(2).some((arg) => arg === "--help" || arg === "-h")) return;
  console.log(usage);
  process.exit(0);
}

/** Reads the arguments of a command; what it cannot use ends it with the reason and how to use it. */
export function withUsage<Options>(usage: string, read: () => Options): Options {
  printUsageWhenAsked(usage);
  try {
    return read();
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${usage}`);
    process.exit(2);
  }
}
