import { ApiError } from "../contract/errors.ts";

export function choiceIn(form: URLSearchParams) {
  const all = (name: string) => form.getAll(name).filter((value) => value !== "");
  return { monitor_ids: all("monitor_ids"), group_ids: all("group_ids"), events: all("events") };
}

/** What a person did wrong is said on the form; everything else is not theirs. */
export async function toFormErrors(run: () => Promise<void>): Promise<string | null> {
  try {
    await run();
    return null;
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return error.message;
    throw error;
  }
}
