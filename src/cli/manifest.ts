import { LineCounter, parseDocument } from "yaml";
import { z } from "zod";
import { MONITOR_TYPES } from "../contract/monitor-values.ts";
import { WEBHOOK_PROVIDERS } from "../contract/webhook.ts";
import { CommandFailure } from "./failure.ts";
import { substituteVariables, type Variables } from "./variables.ts";

/**
 * `vigil.yaml`: what shall be. Things are named by keys, never by ids; everything else goes to the API as it stands, which
 * judges it.
 */

const Key = z.string().regex(/^[A-Za-z0-9_.:-]{1,100}$/, "a key has up to 100 letters, digits and _ . : -");
const name = z.string().min(1).optional().meta({ description: "default: the key" });

const StatusPage = z
  .looseObject({ name, slug: z.string().optional().meta({ description: "default: the key" }) })
  .meta({ description: "known by its key, else by its slug" });
const Group = z.strictObject({
  name,
  status_page: z.string().meta({ description: "key or slug of its status page" }),
});
const Monitor = z.looseObject({
  name,
  type: z.enum(MONITOR_TYPES),
  status_page: z.string().optional().meta({ description: "key or slug of its status page" }),
  group: Key.optional().meta({ description: "key of its group" }),
  push_token: z
    .string()
    .optional()
    .meta({ description: "what another tool had given to senders; sent when the monitor is created" }),
  children: z.array(Key).optional().meta({ description: "keys of the members of a composite" }),
  depends_on: z.array(Key).optional().meta({ description: "keys of the monitors that it depends on" }),
});
const Webhook = z.looseObject({
  name,
  url: z.string().optional().meta({ description: "needed by most providers" }),
  provider: z.enum(WEBHOOK_PROVIDERS).optional(),
  status_page: z.string().optional().meta({ description: "key or slug of its status page" }),
  monitors: z.array(Key).optional().meta({ description: "keys of the monitors that it is limited to" }),
  groups: z.array(Key).optional().meta({ description: "keys of the groups that it is limited to" }),
});

const section = <Schema extends z.ZodType>(schema: Schema) => z.record(Key, schema).default({});

export const Manifest = z.strictObject({
  version: z.literal(1),
  status_pages: section(StatusPage),
  groups: section(Group),
  monitors: section(Monitor),
  webhooks: section(Webhook),
});
export type Manifest = z.infer<typeof Manifest>;

/** For editors: docs/vigil.schema.json. */
export function manifestSchema(): object {
  return { title: "vigil.yaml", ...z.toJSONSchema(Manifest, { io: "input" }) };
}

/** Reads the file, and puts variables of the environment in. */
export function parseManifest(text: string, env: Variables): Manifest {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  const [error] = document.errors;
  if (error) throw new CommandFailure(`line ${lines.linePos(error.pos[0]).line}: ${error.message.split("\n")[0]}`);
  const parsed = Manifest.safeParse(substituteVariables(document.toJS({ maxAliasCount: 100 }), env));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const path = issue?.path.map(String) ?? [];
  const node = document.getIn(path, true) ?? document.getIn(path.slice(0, -1), true);
  const range = typeof node === "object" && node !== null && "range" in node ? (node.range as number[]) : undefined;
  const line = range?.[0] === undefined ? "" : `line ${lines.linePos(range[0]).line}: `;
  throw new CommandFailure(`${line}${path.join(".") || "the file"}: ${issue?.message}`);
}
