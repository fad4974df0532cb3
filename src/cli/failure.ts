/** What ends a command with its message alone. */
export class CommandFailure extends Error {}

/** The command line itself cannot be understood. */
export class UsageFailure extends Error {}

/** How a command ends, for scripts and CI. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  /** `apply --dry-run` found changes, `status` found something that is not up, `doctor` found trouble. */
  attention: 3,
} as const;
