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

/** Reads the arguments of a command; what it cannot use ends it with the reason and how to use it. */
export function withUsage<Options>(usage: string, read: () => Options): Options {
  try {
    return read();
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${usage}`);
    process.exit(2);
  }
}
