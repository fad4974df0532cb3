import { parseArgs } from "node:util";
import { z } from "zod";
import { REGIONS, type Region } from "../../src/contract/monitor-values.ts";
import { WORKERS_PLANS } from "../../src/contract/workers-plan.ts";
import { Refusal } from "../local/command-error.ts";

export const USAGE = `usage: npm run deploy -- [--dry-run] [--name NAME] [--owner ADDRESS] [--domain HOST [--take-over]] [--zone ZONE]
         [--regions none|${REGIONS.join(",")}] [--location HINT] [--monitors N] [--interval SECONDS] [--at-once]
       npm run deploy -- --plan free [--dry-run [--monitors N] [--interval SECONDS]] […]
       npm run deploy -- --destroy --confirm NAME [--name NAME]`;

const LOCATIONS = ["wnam", "enam", "weur", "eeur", "apac", "oc"] as const;
const HOST = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;

const host = (option: string) =>
  z.string().trim().toLowerCase().regex(HOST, `--${option} must be a host name`).optional();

const count = (option: string, [min, max]: [number, number]) =>
  z.coerce
    .number(`--${option} must be a number`)
    .int(`--${option} must be a whole number`)
    .min(min, `--${option} must be between ${min} and ${max}`)
    .max(max, `--${option} must be between ${min} and ${max}`);

const Options = z.object({
  /** Names the Worker, its database, namespace and queues: queue names have 63 characters at most. */
  name: z
    .string()
    .regex(/^[a-z]([a-z0-9-]{0,30}[a-z0-9])?$/, "--name must be up to 32 of a-z, 0-9 and -, beginning with a letter")
    .default("vigil"),
  owner: z.string().trim().toLowerCase().pipe(z.email("--owner must be an e-mail address")).optional(),
  domain: host("domain"),
  /** The domain may replace what its host leads to. */
  takeOver: z.boolean().default(false),
  zone: host("zone"),
  regions: z.string().transform(parseRegions).optional(),
  location: z.enum(LOCATIONS, `--location must be one of ${LOCATIONS.join(", ")}`).optional(),
  /** Of the estimate of the cost. */
  monitors: count("monitors", [1, 1_000_000]).optional(),
  interval: count("interval", [10, 86_400]).optional(),
  /** Of Cloudflare; absent for that of the run before. */
  plan: z.enum(WORKERS_PLANS, `--plan must be ${WORKERS_PLANS.join(" or ")}`).optional(),
  /** Without the trial of a new version. */
  atOnce: z.boolean().default(false),
  dryRun: z.boolean().default(false),
  destroy: z.boolean().default(false),
  confirm: z.string().optional(),
});

/** Of `--regions` and the setting REGIONS; `none` deploys no checker. */
export function parseRegions(text: string): Region[] {
  const names = text.split(",").flatMap((part) => part.trim() || []);
  const parsed = z.array(z.enum(REGIONS)).safeParse(names.join() === "none" ? [] : names);
  if (!parsed.success) throw new Refusal(`--regions must be none or of ${REGIONS.join(", ")}`);
  return parsed.data;
}

export type DeployOptions = z.infer<typeof Options>;

/** Throws a message for people about what cannot be used. */
export function readOptions(args: string[]): DeployOptions {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const { values } = parseArgs({
    args,
    options: {
      name: text,
      owner: text,
      domain: text,
      zone: text,
      regions: text,
      location: text,
      monitors: text,
      interval: text,
      plan: text,
      confirm: text,
      "dry-run": flag,
      "take-over": flag,
      "at-once": flag,
      destroy: flag,
    },
  });
  const parsed = Options.safeParse({
    ...values,
    dryRun: values["dry-run"],
    takeOver: values["take-over"],
    atOnce: values["at-once"],
  });
  if (!parsed.success) throw new Error(parsed.error.issues[0]?.message);
  const options = parsed.data;
  if (options.destroy && options.confirm !== options.name) {
    throw new Error(`--destroy deletes all data of ${options.name}: repeat its name with --confirm ${options.name}`);
  }
  return options;
}
