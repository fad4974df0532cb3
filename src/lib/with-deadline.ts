export class DeadlineError extends Error {}

/** Rejects with a DeadlineError when `work` takes longer. The work itself continues: pass it a signal where it can be aborted. */
export async function withDeadline<Result>(work: Promise<Result>, timeoutMs: number): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlineError(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether `work` ends in time; rejects when it does so in time. The work itself continues. */
export async function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  try {
    return await Promise.race([work.then(() => true), end]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Gives `work` a signal that aborts as `AbortSignal.timeout` does, whose timer ends with the work: an invocation may have
 * ten thousand at once
 */
export async function withTimeoutSignal<Result>(
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const abort = () => controller.abort(new DOMException(`no answer within ${timeoutMs} ms`, "TimeoutError"));
  const timer = setTimeout(abort, timeoutMs);
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}
