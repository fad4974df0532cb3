import type { AlertTargets } from "../contract/alert-targets.ts";
import { plural } from "../lib/relative-time.ts";
import type { FormField, Option } from "./form-fields.ts";

/** What alerts may be limited to. */
export interface TargetOptions {
  groups: readonly Option[];
  monitors: readonly Option[];
}

export function targetFields({ groups, monitors }: TargetOptions): FormField[] {
  return [
    {
      kind: "list",
      name: "tags",
      label: "Only monitors with one of these tags",
      hint: "separated by commas; what has one of these tags, is in one of these groups or is one of these monitors",
      advanced: true,
    },
    ...severalOf("group_ids", "Only these groups", groups),
    ...severalOf("monitor_ids", "Only these monitors", monitors),
  ];
}

function severalOf(name: string, label: string, options: readonly Option[]): FormField[] {
  return options.length === 0 ? [] : [{ kind: "several", name, label, options, advanced: true }];
}

/** Empty where they name nothing. */
export function describeTargets({ monitor_ids, group_ids, tags }: AlertTargets): string {
  return [
    ...(monitor_ids.length > 0 ? [plural(monitor_ids.length, "monitor")] : []),
    ...(group_ids.length > 0 ? [plural(group_ids.length, "group")] : []),
    ...tags.map((tag) => `the tag ${tag}`),
  ].join(", ");
}

/** A field of the API in words, for a notice about it. */
export function nameOfPath(path: string): string {
  const named = path.replace(/^(monitor|group)_ids.*/, "limit to a $1");
  return named.replace(/[.[].*/, "").replaceAll("_", " ");
}
