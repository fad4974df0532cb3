import { z } from "zod";
import { InstantInput } from "../contract/common.ts";
import { LIMIT_CLASSES } from "../contract/limiter-object.ts";
import { REGIONS } from "../contract/monitor-values.ts";
import { PLANS, type Plan } from "../contract/plan.ts";
import { SECOND_FACTOR_RULES } from "../contract/session-policy.ts";
import { Domain, ProviderSetting } from "../contract/sign-in.ts";
import { Networks } from "../contract/token.ts";
import { WORKERS_PLANS } from "../contract/workers-plan.ts";
import { parseMailbox } from "../lib/mailbox.ts";
import { parseSmtpUrl, type SmtpServer } from "../lib/smtp-url.ts";
import { parseRootKeys } from "./root-keys.ts";

/**
 * Everything an operator may tune, read once from the Worker's variables (wrangler.toml `[vars]`, `wrangler secret`, or
 * the environment of `npm start`). Every setting has a default; tests shorten durations through the same names.
 */
const list = z
  .string()
  .default("")
  .transform((text) =>
    text
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== ""),
  );
const apiBase = (fallback: string) =>
  z
    .url()
    .default(fallback)
    .transform((url) => url.replace(/\/+$/, ""));
const milliseconds = (fallback: number) => z.coerce.number().int().min(0).default(fallback);

/** As `plan=days`, comma-separated; plans that are not named keep their default. */
const daysByPlan = (fallback: Readonly<Record<Plan, number>>) =>
  list.transform((pairs, ctx) => {
    const days: Record<Plan, number> = { ...fallback };
    for (const pair of pairs) {
      const [, name, count] = /^([a-z_]+)=([1-9]\d{0,3})$/.exec(pair) ?? [];
      const plan = PLANS.find((known) => known === name);
      if (plan === undefined) {
        ctx.addIssue(`"${pair}" is not plan=days with one of ${PLANS.join(", ")}`);
        return z.NEVER;
      }
      days[plan] = Number(count);
    }
    return days;
  });

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Of variables that decide in the place of the dashboard: not set at all is another thing than a default. */
const unlessEmpty = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((text) => (text === "" ? undefined : text), schema.optional());
/** Browsers keep a cookie for 400 days at most. */
const sessionTime = unlessEmpty(
  z.coerce
    .number()
    .int()
    .min(5 * MINUTE)
    .max(400 * DAY),
);

const FIELDS = {
  /** Encrypts stored secrets, signs heartbeat tokens and links; one key or several, see platform/root-keys.ts. */
  ROOT_SECRET: z.string().superRefine((text, ctx) => {
    const keys = parseRootKeys(text);
    if (!keys.ok) ctx.addIssue(keys.reason);
  }),
  /** Address under which people reach this service, without a trailing slash; empty = taken from each request. */
  PUBLIC_URL: z
    .string()
    .default("")
    .transform((url) => url.replace(/\/+$/, "")),
  /** Of Cloudflare: `free` keeps to the limits of its Workers Free plan (domain/free-plan.ts); set by `npm run deploy`. */
  PLAN: z.enum(WORKERS_PLANS).default("paid"),
  DEFAULT_PLAN: z.enum(PLANS).default("self_hosted"),
  /** Hosts, addresses or CIDRs that checks and deliveries may reach although they are not public. */
  EGRESS_ALLOW: list,
  /** JSON DNS-over-HTTPS resolvers, asked in this order. */
  DOH_RESOLVERS: z
    .string()
    .default("https://cloudflare-dns.com/dns-query,https://dns.google/resolve")
    .transform((text) => text.split(",").map((url) => url.trim())),
  /** URLs that answer whenever our own way out is well; when all of them fail, no failure of a check counts. */
  CANARY_TARGETS: list.refine((targets) => targets.every((target) => URL.canParse(target)), "must be URLs"),
  /** Regions that monitors may name; under `npm start` one program checks from all of them. */
  REGIONS: z
    .string()
    .default(REGIONS.join(","))
    .transform((text) =>
      text
        .split(",")
        .map((name) => name.trim())
        .filter((name) => name !== ""),
    )
    .pipe(z.array(z.enum(REGIONS))),
  /** The account whose data are a demonstration, which operators may remove as a whole; set by `npm start -- --demo` alone. */
  DEMONSTRATION: z.string().default(""),
  /** The session policy, as far as it is not for operators to set in the dashboard: see access/session-policy.ts. */
  SESSION_MS: sessionTime,
  SESSION_IDLE_MS: sessionTime,
  SECOND_FACTOR: unlessEmpty(z.enum(SECOND_FACTOR_RULES)),
  SECOND_FACTOR_FROM: unlessEmpty(InstantInput),
  SESSION_NETWORKS: list.pipe(z.union([z.tuple([]), Networks])),
  DELIVERY_TIMEOUT_MS: milliseconds(10 * SECOND),
  /** Delays between attempts of one delivery, comma-separated milliseconds. */
  DELIVERY_RETRY_MS: z
    .string()
    .default([5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, DAY].join(","))
    .transform((text, ctx) => {
      const delays = text.split(",").map(Number);
      if (delays.every((delay) => Number.isInteger(delay) && delay >= 0)) return delays;
      ctx.addIssue("DELIVERY_RETRY_MS must be comma-separated milliseconds");
      return z.NEVER;
    }),
  /** A webhook that only failed for this long is worth a warning to its owner. */
  WEBHOOK_WARN_AFTER_MS: milliseconds(DAY),
  /** A webhook that only failed for this long is switched off. */
  WEBHOOK_DISABLE_AFTER_MS: milliseconds(5 * DAY),
  DELIVERY_RETENTION_MS: milliseconds(30 * DAY),
  /** How many days results of single checks are kept, as `plan=days`; those of our own checks 90 at most. */
  RAW_RESULTS_DAYS: daysByPlan({ free: 7, starter: 30, pro: 90, business: 90, self_hosted: 90 }),
  /** The same for everything that happened: statuses, events, resolved incidents, past maintenance, audit log. */
  HISTORY_DAYS: daysByPlan({ free: 90, starter: 180, pro: 400, business: 400, self_hosted: 400 }),
  /**
   * Other numbers than those of access/rate-limit.ts and domain/plan-caps.ts, as `class=number` or `class=off`,
   * comma-separated; `all=off` switches every class off that is not named itself. A number counts on every plan.
   */
  RATE_LIMITS: list.transform((pairs, ctx) => {
    const limits: Record<string, number | "off"> = {};
    for (const pair of pairs) {
      const [, name, limit] = /^([a-z_]+)=([1-9]\d{0,11}|off)$/.exec(pair) ?? [];
      if (name === undefined || limit === undefined || !["all", ...LIMIT_CLASSES].includes(name)) {
        ctx.addIssue(`"${pair}" is not class=number or class=off with one of all, ${LIMIT_CLASSES.join(", ")}`);
        return z.NEVER;
      }
      limits[name] = limit === "off" ? limit : Number(limit);
    }
    return limits;
  }),
  /**
   * Sender of mail, `name@host` or `Some Name <name@host>`. Without one, and without a way to send, mail stays in the
   * outbox (`npm run mail`). The ways are SMTP_URL, the binding `MAIL` and MAIL_HTTP_URL; the first that is there is used.
   */
  MAIL_FROM: z
    .string()
    .trim()
    .default("")
    .refine((text) => text === "" || parseMailbox(text) !== null, "must be an address or Some Name <address>"),
  /** `smtps://user:password@host:465`, or `smtp://…:587` for STARTTLS. */
  SMTP_URL: z
    .string()
    .trim()
    .default("")
    .transform((text, ctx): SmtpServer | null => {
      if (text === "") return null;
      const server = parseSmtpUrl(text);
      if (server.ok) return server.value;
      ctx.addIssue(server.reason);
      return z.NEVER;
    }),
  /** For connecting, logging in and handing over one message. */
  MAIL_TIMEOUT_MS: milliseconds(30 * SECOND),
  /** Takes `{from, to, subject, text, html, headers}` as JSON. */
  MAIL_HTTP_URL: z.string().default(""),
  MAIL_HTTP_TOKEN: z.string().default(""),
  /** The API of Telegram and the bot of the operator; without a token there is none. */
  TELEGRAM_API_BASE: apiBase("https://api.telegram.org"),
  TELEGRAM_BOT_TOKEN: z.string().trim().default(""),
  DISCORD_API_BASE: apiBase("https://discord.com/api/v10"),
  DISCORD_BOT_TOKEN: z.string().trim().default(""),
  /** Verifies requests of Discord: the public key of the application, 64 hexadecimal digits. */
  DISCORD_PUBLIC_KEY: z
    .string()
    .trim()
    .default("")
    .refine((key) => /^(?:[0-9a-f]{64})?$/i.test(key), "must be 64 hexadecimal digits"),
  DISCORD_APPLICATION_ID: z.string().trim().default(""),
  /** Verifies requests of Slack: the signing secret of the app; without it messages have no buttons and no request is accepted. */
  SLACK_SIGNING_SECRET: z.string().trim().default(""),
  /** What Telegram sends as X-Telegram-Bot-Api-Secret-Token; without it no request of Telegram is accepted. */
  TELEGRAM_WEBHOOK_SECRET: z.string().trim().default(""),
  TELEGRAM_BOT_NAME: z.string().trim().default(""),
  /** Where people may sign in instead of with a password: a JSON list, see docs/sign-in.md. */
  OIDC_PROVIDERS: z
    .string()
    .trim()
    .default("")
    .transform((text, ctx) => {
      const list = z.array(ProviderSetting).safeParse(text === "" ? [] : parseJson(text));
      const ids = list.data?.map(({ id }) => id) ?? [];
      if (list.success && new Set(ids).size === ids.length) return list.data;
      const issue = list.error?.issues[0];
      ctx.addIssue(issue ? `${issue.path.join(".")}: ${issue.message}` : "two providers have the same id");
      return z.NEVER;
    }),
  /** Addresses that may use a password although their domain requires a provider, for when that does not answer. */
  BREAK_GLASS: list.transform((addresses) => addresses.map((address) => address.toLowerCase())),
  /** Cloudflare Access in front of this service: the name of the team, and the tag of the application. */
  ACCESS_TEAM: z
    .string()
    .trim()
    .toLowerCase()
    .default("")
    .refine((team) => /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)?$/.test(team), "must be the team's name alone"),
  ACCESS_AUDIENCE: z.string().trim().default(""),
  /** People whom Access names with addresses of these domains get an account when they come first. */
  ACCESS_DOMAINS: list.pipe(z.array(Domain)),
  /** What says who a workflow of GitHub Actions is: GitHub's own, or that of an own GitHub server. */
  ACTIONS_ISSUER: apiBase("https://token.actions.githubusercontent.com"),
  /** How long a check on request waits for the agent that runs the monitor. */
  AGENT_CHECK_WAIT_MS: milliseconds(20 * SECOND),
  /** Checks are delayed, and pages announce it, when cron or the checks of a monitor are behind by more than this. */
  CHECKS_LATE_AFTER_MS: milliseconds(3 * MINUTE),
  /** How long one isolate may serve a page without asking the database for its version. */
  PAGE_MEMO_MS: milliseconds(SECOND / 2),
  /** Host name that the domains of pages have to lead to; empty = the service's own. */
  CUSTOM_DOMAIN_TARGET: z.string().trim().toLowerCase().default(""),
  /** Cloudflare for SaaS: who may order certificates for the domains of pages, and in which zone. */
  CF_API_TOKEN: z.string().default(""),
  CF_ZONE_ID: z.string().default(""),
  CF_API_BASE: z.url().default("https://api.cloudflare.com/client/v4"),
  /** Requested once a minute while the service works: a heartbeat monitor of another installation or service. */
  HEARTBEAT_URL: z.union([z.literal(""), z.url()]).default(""),
  /** Exponent of scrypt's N for new passwords; each step doubles the time and memory of a sign-in. */
  PASSWORD_COST: z.coerce.number().int().min(10).max(15).default(14),
  /** Share of successful requests that are logged. */
  LOG_SAMPLE_RATE: z.coerce.number().min(0).max(1).default(1),
  LOG_LEVEL: z.enum(["debug", "info", "warn", "error", "silent"]).default("info"),
};

const Settings = z.object(FIELDS).superRefine((settings, ctx) => {
  if (settings.MAIL_FROM === "" && (settings.SMTP_URL || settings.MAIL_HTTP_URL)) {
    ctx.addIssue({ code: "custom", path: ["MAIL_FROM"], message: "is required when SMTP_URL or MAIL_HTTP_URL is set" });
  }
  if (settings.ACCESS_TEAM === "") return;
  if (settings.ACCESS_AUDIENCE === "") {
    ctx.addIssue({ code: "custom", path: ["ACCESS_AUDIENCE"], message: "is required when ACCESS_TEAM is set" });
  }
  if (settings.OIDC_PROVIDERS.some(({ id }) => id === "access")) {
    ctx.addIssue({ code: "custom", path: ["OIDC_PROVIDERS"], message: "the id access is that of Cloudflare Access" });
  }
});

export type Settings = z.infer<typeof Settings>;

/** Names of the settings, for the local start script, which passes them on from its environment. */
export const SETTING_NAMES = Object.keys(FIELDS);

const parsed = new WeakMap<object, Settings>();

/** Throws, naming the setting, when an operator's value cannot be used. */
export function settingsOf(env: object): Settings {
  const known = parsed.get(env);
  if (known) return known;
  const result = Settings.safeParse(env);
  if (!result.success) {
    const issue = result.error.issues[0];
    throw new Error(`setting ${issue?.path.join(".")}: ${issue?.message}`);
  }
  parsed.set(env, result.data);
  return result.data;
}
