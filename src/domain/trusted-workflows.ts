/** What GitHub says of the job that asks. */
export interface RunOfWorkflow {
  /** owner/name. */
  repository: string;
  /** Stays with a repository that is renamed, and is never given to another. */
  repository_id: string;
  /** Such as `refs/heads/main`. */
  ref: string;
  environment: string | null;
}

interface Conditions {
  repository: string;
  /** null: none has used it yet. */
  repository_id: string | null;
  branch: string | null;
  environment: string | null;
}

/** Why a run is not the trusted one; null where it is. */
export function refusalOfRun(trusted: Conditions, run: RunOfWorkflow): string | null {
  const isSameName = run.repository.toLowerCase() === trusted.repository;
  if (!isSameName) return `repository ${run.repository} is not the trusted one`;
  if (trusted.repository_id !== null && run.repository_id !== trusted.repository_id) {
    return `repository ${run.repository} is another than the one that was trusted under this name`;
  }
  if (trusted.branch !== null && run.ref !== `refs/heads/${trusted.branch}`)
    return `${run.ref} is not the trusted branch`;
  if (trusted.environment === null || run.environment === trusted.environment) return null;
  return run.environment === null
    ? "the job names no environment, and a trusted one has to"
    : `environment ${run.environment} is not the trusted one`;
}
