import type { AlertTargets } from "../contract/alert-targets.ts";
import type { FormField, Option } from "./form-fields.ts";
import { words } from "./words.ts";

/** What alerts may be limited to. */
export interface TargetOptions {
  groups: readonly Option[];
  monitors: readonly Option[];
}

export function targetFields({ groups, monitors }: TargetOptions): FormField[] {
  const text = words("dashboard-alerts").targets;
  return [
    {
      kind: "list",
      name: "tags",
      label: text.tags.label,
      hint: text.tags.hint,
      advanced: true,
    },
    ...severalOf("group_ids", text.groups, groups),
    ...severalOf("monitor_ids", text.monitors, monitors),
  ];
}

function severalOf(name: string, label: string, options: readonly Option[]): FormField[] {
  return options.length === 0 ? [] : [{ kind: "several", name, label, options, advanced: true }];
}

/** Empty where they name nothing. */
export function describeTargets({ monitor_ids, group_ids, tags }: AlertTargets): string {
  const text = words("dashboard-alerts").targets;
  return [
    ...(monitor_ids.length > 0 ? [text.n_monitors({ n: monitor_ids.length })] : []),
    ...(group_ids.length > 0 ? [text.n_groups({ n: group_ids.length })] : []),
    ...tags.map((tag) => text.tag({ tag })),
  ].join(", ");
}

/** A field of the API in words, for a notice about it. */
export function nameOfPath(path: string): string {
  const named = path.replace(/^(monitor|group)_ids.*/, "limit to a $1");
  return named.replace(/[.[].*/, "").replaceAll("_", " ");
}
