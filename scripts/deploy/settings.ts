import { randomBytes } from "node:crypto";
import { SETTING_NAMES, settingsOf } from "../../src/platform/settings.ts";
import { Refusal } from "../local/command-error.ts";
import { parseRegions } from "./options.ts";
import type { DeploymentRecord } from "./record.ts";
import { zoneOf } from "./zone.ts";

/** Never in the vars of a Worker, which everybody with access to the account can read. */
export const SECRET_NAMES = [
  "ROOT_SECRET",
  "SMTP_URL",
  "MAIL_HTTP_TOKEN",
  "TELEGRAM_BOT_TOKEN",
  "TELEGRAM_WEBHOOK_SECRET",
  "DISCORD_BOT_TOKEN",
  "SLACK_SIGNING_SECRET",
  "CF_API_TOKEN",
  "OIDC_PROVIDERS",
];

/** Made by the deployment itself. */
const DERIVED_NAMES = ["PLAN", "PUBLIC_URL", "CF_ZONE_ID", "CUSTOM_DOMAIN_TARGET", "REGIONS"];

/** Two addresses of different operators; while neither answers, a failed check says nothing about its target. */
const CANARY_TARGETS = "https://www.cloudflare.com/cdn-cgi/trace,https://www.google.com/generate_204";

export interface DeploymentSettings {
  /** What the operator chose, kept for the next run. */
  chosen: Record<string, string>;
  secrets: Record<string, string>;
}

/** The environment's settings over those of earlier runs; an empty value takes a setting back. */
export function chooseSettings(
  env: NodeJS.ProcessEnv,
  { settings = {} }: DeploymentRecord,
  keptSecrets: Record<string, string>,
): DeploymentSettings {
  const chosen = { ...settings };
  const secrets = { ...keptSecrets };
  for (const name of SETTING_NAMES) {
    const value = env[name];
    if (value === undefined || DERIVED_NAMES.includes(name)) continue;
    const target = SECRET_NAMES.includes(name) ? secrets : chosen;
    if (value === "") delete target[name];
    else target[name] = value;
  }
  return { chosen, secrets };
}

/** What an operator chose, as the variables of the deployed Worker show it. */
export function choicesIn(
  vars: Record<string, string>,
): Pick<DeploymentRecord, "domain" | "plan" | "regions" | "settings" | "url" | "zone"> {
  const { PLAN, PUBLIC_URL, CUSTOM_DOMAIN_TARGET, REGIONS } = vars;
  const host = PUBLIC_URL === undefined ? undefined : new URL(PUBLIC_URL).hostname;
  const settings = Object.entries(vars).filter(
    ([name, value]) => SETTING_NAMES.includes(name) && !DERIVED_NAMES.includes(name) && value !== CANARY_TARGETS,
  );
  return {
    settings: Object.fromEntries(settings),
    ...(PUBLIC_URL && { url: PUBLIC_URL }),
    ...(host && !host.endsWith(".workers.dev") && { domain: host }),
    ...(CUSTOM_DOMAIN_TARGET !== undefined && { zone: zoneOf(CUSTOM_DOMAIN_TARGET) }),
    ...(PLAN === "free" && { plan: PLAN }),
    ...(REGIONS !== undefined && PLAN !== "free" && { regions: parseRegions(REGIONS) }),
  };
}

export function newRootSecret(): string {
  return randomBytes(32).toString("base64url");
}

export function varsOf(chosen: Record<string, string>, derived: Record<string, string>): Record<string, string> {
  return { CANARY_TARGETS, ...chosen, ...derived };
}

/** Said before anything is changed rather than by a Worker that cannot start. */
export function refuseBadSettings(bindings: Record<string, string>): void {
  try {
    settingsOf(bindings);
  } catch (error) {
    throw new Refusal(error instanceof Error ? error.message : String(error));
  }
}
