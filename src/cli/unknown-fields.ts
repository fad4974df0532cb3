import { z } from "zod";
import { closestName } from "../lib/closest-name.ts";
import type { Api } from "./api.ts";
import { CommandFailure } from "./failure.ts";
import type { Manifest } from "./manifest.ts";

const Body = z.object({ properties: z.record(z.string(), z.unknown()) });
const Description = z.object({
  components: z.object({
    schemas: z.object({ StatusPageCreate: Body, GroupCreate: Body, MonitorCreate: Body, WebhookCreate: Body }),
  }),
});

/** What the file says in place of ids. */
const OWN_FIELDS = ["status_page", "group", "children", "push_token", "monitors", "groups"];

/** The service would ignore a misspelt field, and make a monitor with defaults. */
export async function refuseUnknownFields(api: Api, manifest: Manifest): Promise<void> {
  const { schemas } = Description.parse(await api.describe()).components;
  const known = {
    status_pages: schemas.StatusPageCreate,
    groups: schemas.GroupCreate,
    monitors: schemas.MonitorCreate,
    webhooks: schemas.WebhookCreate,
  };
  for (const kind of ["status_pages", "groups", "monitors", "webhooks"] as const) {
    const names = [...Object.keys(known[kind].properties), ...OWN_FIELDS];
    for (const [key, entry] of Object.entries(manifest[kind])) {
      const unknown = Object.keys(entry).find((field) => !names.includes(field));
      if (unknown === undefined) continue;
      const meant = closestName(unknown, names);
      const hint = meant === undefined ? "" : `, did you mean ${meant}?`;
      throw new CommandFailure(
        `${kind}.${key}: the service has no field ${unknown}${hint} (--allow-unknown sends it anyway)`,
      );
    }
  }
}
