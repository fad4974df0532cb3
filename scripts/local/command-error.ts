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
