import { z } from "zod";
import { formatMilliseconds } from "../formats.ts";

const StepRows = z.object({
  steps: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      status_code: z.number().optional(),
      latency_ms: z.number().optional(),
    }),
  ),
});
export type StepRow = z.infer<typeof StepRows>["steps"][number];

/** The steps among the details of a result; none where the check was a single request. */
export function stepsOfResult(details: unknown): StepRow[] {
  const found = StepRows.safeParse(details);
  return found.success ? found.data.steps : [];
}

export function StepResults({ steps }: { steps: readonly StepRow[] }) {
  if (steps.length === 0) return null;
  return (
    <ol>
      {steps.map(({ name, status, status_code, latency_ms }) => (
        <li>
          <span dir="auto">{name}</span>: {status}
          {status_code === undefined ? null : `, ${status_code}`}
          {latency_ms === undefined ? null : `, ${formatMilliseconds(latency_ms)}`}
        </li>
      ))}
    </ol>
  );
}
