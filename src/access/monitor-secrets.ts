import { z } from "zod";
import type { MonitorRecord } from "../data/monitors.ts";
import { unseal } from "../platform/seal.ts";
import type { Settings } from "../platform/settings.ts";

/** What of a monitor is stored encrypted: the target where it carries credentials, and the values of its headers. */
export const MonitorSecrets = z.object({ target: z.string().optional(), http_headers: z.string().optional() });
export type MonitorSecrets = z.infer<typeof MonitorSecrets>;

/** The target and the fields of a monitor as its probe needs them. */
export async function openSecrets(settings: Settings, record: MonitorRecord) {
  const { target, ...fields } = await unsealSecrets(settings, record);
  return { target: target ?? record.target ?? "", fields: { ...record.options, ...fields } };
}

export async function unsealSecrets(
  settings: Settings,
  record: Pick<MonitorRecord, "id" | "sealed">,
): Promise<MonitorSecrets> {
  if (record.sealed === null) return {};
  return MonitorSecrets.parse(await unseal(settings.ROOT_SECRET, record.id, record.sealed));
}
