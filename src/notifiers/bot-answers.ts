import type { AnswerReading } from "./port.ts";

/** Robots that answer 200 to every request, and report failures by a code in the body. */
export function readCode(
  { status, excerpt }: { status: number; excerpt: string },
  { success, busy }: { success: number; busy: readonly number[] },
): AnswerReading | null {
  const [, digits] = /"(?:err)?code"\s*:\s*(-?\d{1,9})/.exec(excerpt) ?? [];
  if (status !== 200 || digits === undefined || Number(digits) === success) return null;
  const error = `the service answered code ${digits}`;
  return busy.includes(Number(digits)) ? { kind: "later", error, wait_seconds: 60 } : { kind: "refused", error };
}

const ZERO_WIDTH_SPACE = "\u200b";

/** `<at user_id="all">` and `@all` mention people in texts without any other markup. */
export function withoutMentions(text: string): string {
  return text.replace(/[<@]/g, `$&${ZERO_WIDTH_SPACE}`);
}

/** As many characters as so many bytes hold for sure. */
export const charactersIn = (bytes: number) => Math.floor(bytes / 3);
