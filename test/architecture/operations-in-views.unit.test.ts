import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ENDPOINTS } from "../../src/app.ts";

/**
 * What the API lets a person do, the dashboard does, too. Writes are found in its source, because views send them to the API's
 * own endpoints; reads, and what is sent by another way, are listed here with their view. Everything else is a decision with a
 * reason.
 */
const FOLDER = join(import.meta.dirname, "../../src/dashboard");

const VIEWS: Record<string, string> = {
  "GET /agents": "/app/agents",
  "GET /agents/{agent_id}": "/app/agents/{id}",
  "GET /agents/{agent_id}/detail": "/app/agents/{id}",
  "GET /agents/{agent_id}/commands": "/app/agents/{id}",
  "GET /agents/{agent_id}/commands/{command_id}": "/app/agents/{id}",
  "GET /agents/{agent_id}/discoveries": "/app/agents/{id}",
  "GET /agents/{agent_id}/metrics": "/app/agents/{id}",
  "GET /agents/token": "/app/agents/install",
  "GET /api-monitoring/monitors/{id}": "/app/monitors/{id}",
  "GET /api-monitoring/monitors/{id}/metrics": "/app/monitors/{id}",
  "PUT /api-monitoring/monitors/{id}/config": "/app/monitors/{id}/edit",
  "GET /audit-logs": "/app/audit",
  "GET /audit/logs": "/app/audit",
  "GET /audit/export": "/app/audit",
  "GET /audit/monitor/{id}/events": "/app/audit",
  "GET /auth/me": "/app/account",
  "GET /auth/passkeys": "/app/account",
  "GET /auth/sessions": "/app/account",
  "GET /auth/sign-ins": "/app/account/sign-ins",
  "POST /api-monitoring/monitors/{id}/regenerate-key": "/app/monitors/{id}/replace-credential",
  "POST /game-server/monitors/{id}/regenerate-key": "/app/monitors/{id}/replace-credential",
  "POST /status-pages/transfers/accept": "/app/transfer",
  "POST /status-pages/transfers/decline": "/app/transfer/decline",
  "PUT /status-pages/{id}/sla-targets": "/app/pages/{id}/targets",
  "POST /auth/logout": "/app/sign-out",
  "GET /billing/status": "/app/account",
  "GET /deactivated-accounts": "/app/installation",
  "GET /game-server/monitors/{id}": "/app/monitors/{id}",
  "GET /game-server/monitors/{id}/metrics": "/app/monitors/{id}",
  "GET /game-server/monitors/{id}/plugin": "/app/monitors/{id}",
  "PUT /game-server/monitors/{id}/config": "/app/monitors/{id}/edit",
  "GET /groups": "/app/pages/{id}/services",
  "GET /incidents": "/app/incidents",
  "GET /incidents/{id}": "/app/incidents/{id}",
  "GET /incidents/{id}/updates": "/app/incidents/{id}",
  "PUT /incidents/{id}/updates/{update_id}": "/app/incidents/{id}/updates/{update}",
  "DELETE /incidents/{id}/updates/{update_id}": "/app/incidents/{id}/updates/{update}/delete",
  "GET /maintenance": "/app/maintenance",
  "GET /maintenance/{id}": "/app/maintenance/{id}",
  "GET /maintenance/{id}/updates": "/app/maintenance/{id}",
  "PUT /maintenance/{id}/updates/{update_id}": "/app/maintenance/{id}/updates/{update}",
  "DELETE /maintenance/{id}/updates/{update_id}": "/app/maintenance/{id}/updates/{update}/delete",
  "GET /monitors": "/app/monitors",
  "GET /monitors/{id}": "/app/monitors/{id}",
  "GET /monitors/{id}/alert-receivers": "/app/monitors/{id}",
  "GET /monitors/{id}/events": "/app/monitors/{id}",
  "GET /monitors/{id}/latency": "/app/monitors/{id}",
  "GET /monitors/{id}/latency-baseline": "/app/monitors/{id}",
  "GET /monitors/{id}/outages": "/app/monitors/{id}",
  "GET /monitors/{id}/results": "/app/monitors/{id}",
  "GET /monitors/{id}/uptime": "/app/monitors/{id}",
  "GET /notifications": "/app/notifications",
  "GET /monitors/{id}/evidence": "/app/monitors/{id}/evidence",
  "GET /notify-contacts/application-key": "/app/account/contacts",
  "GET /reachable-networks": "/app/installation/networks",
  "GET /session-policy": "/app/installation/sessions",
  "GET /sign-in-providers": "/app/installation/sign-in",
  "GET /sign-in-providers/{id}": "/app/installation/sign-in",
  "GET /notify-contacts": "/app/account/contacts",
  "GET /overview": "/app",
  "GET /referrals/stats": "/app/account",
  "GET /incidents/{id}/escalation": "/app/incidents/{id}",
  "GET /status-pages/{id}/discord/status-channels": "/app/pages/{id}/chats",
  "GET /status-pages/{id}/telegram/status-channels": "/app/pages/{id}/chats",
  "DELETE /discord/status-channels/{id}": "/app/pages/{id}/chats/{service}/{channel}/unlink",
  "DELETE /telegram/status-channels/{id}": "/app/pages/{id}/chats/{service}/{channel}/unlink",
  "POST /status-pages/{id}/discord/token": "/app/pages/{id}/chats/{service}",
  "POST /status-pages/{id}/telegram/token": "/app/pages/{id}/chats/{service}",
  "POST /auth/passkeys/confirm": "/app/account/passkeys/new",
  "GET /secrets": "/app/account/secrets",
  "GET /status-pages": "/app/pages",
  "GET /status-pages/member-of": "/app/pages",
  "GET /status-pages/{id}": "/app/pages/{id}",
  "GET /status-pages/{id}/alert-setup": "/app/alerts",
  "GET /status-pages/{id}/events/rules": "/app/rules",
  "GET /status-pages/{id}/events/rules/{rule_id}/versions": "/app/rules/{page}/{id}",
  "GET /status-pages/{id}/groups": "/app/pages/{id}/services",
  "GET /status-pages/{id}/incident-templates": "/app/incidents/templates",
  "GET /status-pages/{id}/incidents": "/app/incidents",
  "GET /status-pages/{id}/maintenance": "/app/maintenance",
  "GET /status-pages/{id}/members": "/app/team",
  "GET /status-pages/{id}/monitors": "/app/pages/{id}/services",
  "GET /status-pages/{id}/on-call": "/app/on-call",
  "GET /status-pages/{id}/on-call/escalations": "/app/on-call",
  "GET /status-pages/{id}/on-call/policies": "/app/on-call",
  "GET /status-pages/{id}/on-call/schedules": "/app/on-call",
  "GET /status-pages/{id}/on-call/schedules/{schedule_id}": "/app/on-call/{page}/schedules/{id}",
  "GET /status-pages/{id}/outages": "/app/pages/{id}/reports",
  "GET /status-pages/{id}/seats": "/app/team",
  "GET /status-pages/{id}/sla": "/app/pages/{id}/reports",
  "GET /status-pages/{id}/sla/export": "/app/pages/{id}/reports",
  "GET /status-pages/{id}/sla/history": "/app/pages/{id}/reports",
  "GET /status-pages/{id}/sla-targets": "/app/pages/{id}/reports",
  "GET /status-pages/{id}/ssl": "/app/pages/{id}/domain",
  "GET /status-pages/{id}/subscribers/export": "/app/pages/{id}/subscribers",
  "GET /status-pages/{status_page_id}/alert-setup/{id}/deliveries": "/app/alerts/deliveries",
  "GET /subscribers": "/app/pages/{id}/subscribers",
  "GET /uptime/tier-info": "/app/account",
  "GET /user/api-tokens": "/app/account",
  "GET /user/export": "/app/account",
  "GET /user/preferences": "/app/account/notifications",
  "GET /user/views": "/app/monitors",
  "GET /user/trusted-workflows": "/app/account",
  "GET /user/chat-accounts": "/app/account",
  "GET /user/wall-links": "/app/account/walls",
  "GET /webhooks": "/app/alerts",
  "GET /webhooks/{id}": "/app/alerts/{id}/edit",
  "GET /webhooks/{id}/deliveries": "/app/alerts/deliveries",
};

/** Why programs alone send some of them. */
const BY_KEY = "keys are names that configuration files give; a view has the object itself";
const OF_PAGE = "the same operation under the address of its page, which views send without it";
const AS_FILE = "rules move between pages as files, which programs and the command line read and write";
const POLICY =
  "a report's target is set beside it; how exactly time is counted is agreed in contracts, and written once";
const WITHOUT: Record<string, string> = {
  "DELETE /groups/by-key/{external_key}": BY_KEY,
  "GET /groups/by-key/{external_key}": BY_KEY,
  "PUT /groups/by-key/{external_key}": BY_KEY,
  "DELETE /maintenance/by-key/{external_key}": BY_KEY,
  "GET /maintenance/by-key/{external_key}": BY_KEY,
  "PUT /maintenance/by-key/{external_key}": BY_KEY,
  "DELETE /monitors/by-key/{external_key}": BY_KEY,
  "GET /monitors/by-key/{external_key}": BY_KEY,
  "PUT /monitors/by-key/{external_key}": BY_KEY,
  "DELETE /status-pages/by-key/{external_key}": BY_KEY,
  "GET /status-pages/by-key/{external_key}": BY_KEY,
  "PUT /status-pages/by-key/{external_key}": BY_KEY,
  "DELETE /webhooks/by-key/{external_key}": BY_KEY,
  "GET /webhooks/by-key/{external_key}": BY_KEY,
  "PUT /webhooks/by-key/{external_key}": BY_KEY,
  "POST /status-pages/{id}/alert-setup": OF_PAGE,
  "DELETE /status-pages/{status_page_id}/alert-setup/{id}": OF_PAGE,
  "PUT /status-pages/{status_page_id}/alert-setup/{id}": OF_PAGE,
  "POST /status-pages/{status_page_id}/alert-setup/{id}/deliveries/{delivery_id}/redeliver": OF_PAGE,
  "POST /status-pages/{status_page_id}/alert-setup/{id}/test": OF_PAGE,
  "GET /status-pages/{id}/events/rules/export": AS_FILE,
  "POST /status-pages/{id}/events/rules/import": AS_FILE,
  "GET /sla-policies": POLICY,
  "POST /sla-policies": POLICY,
  "DELETE /sla-policies/{id}": POLICY,
  "GET /sla-policies/{id}": POLICY,
  "PUT /sla-policies/{id}": POLICY,
  "GET /status-pages/{id}/sla-policy": POLICY,
  "PUT /status-pages/{id}/sla-policy": POLICY,
  "PATCH /webhooks/{id}/team-only": "the form of the channel sets it by PUT",
  "PATCH /webhooks/{id}/toggle": "the switch of the channel sets it by PUT",
  "GET /audit/stats": "numbers for programs; the view has the entries, by day and kind",
  "GET /audit/status-page/{id}/daily-events": "numbers for programs; the view has the entries, by day and kind",
  "GET /status-pages/{id}/incidents/stats":
    "numbers for programs; the overview has how soon people acknowledge and resolve",
  "GET /uptime/capacity": "for programs that add monitors in bulk; the account has what is used of its plan",
  "GET /status-pages/check-slug": "the form of a page says beside the field that a name is taken",
  "GET /game-server/monitors": "the list of monitors, filtered by type",
  "POST /referrals/redeem": "a reward is redeemed by whom bills for the plan",
  "PUT /monitors/{id}/push-alias":
    "set while moving in, beside the other tool's own configuration: docs/migrate-from.md",
  "POST /status-pages/{id}/alerts": "an alert comes from a program",
  "POST /status-pages/{id}/alerts/mapped": "an alert comes from a program",
  "POST /status-pages/{id}/alerts/alertmanager": "an alert comes from a program",
  "POST /status-pages/{id}/events/emit": "an event comes from a program",
  "GET /status-pages/{id}/events/log": "what programs emitted, for who writes them",
  "POST /status-pages/{id}/events/rules/{rule_id}/test":
    "with values of one's own; the view replays what really happened",
  "GET /status-pages/{id}/on-call/escalations/{escalation_id}":
    "every step for programs; the incident shows who was notified",
  "PUT /status-pages/{id}/on-call": "views change the schedules and policies that it sums up",
  "DELETE /status-pages/{id}/on-call": "views delete the schedules and policies that it sums up",
  "POST /status-pages/{id}/on-call/schedules/{schedule_id}/calendar":
    "the calendar of all of one's shifts is made under Account",
  "DELETE /status-pages/{id}/on-call/schedules/{schedule_id}/calendar":
    "the calendar of all of one's shifts is revoked under Account",
  "POST /agents": "an agent comes to be when its install command, which the view makes, runs on its host",
  "POST /mcp": "for assistants",
  "POST /status-pages/{id}/monitors/migrate":
    "the bulk bar of the list moves those that are selected; this one asks by page, for programs",
};

/** What the source says to which method and address a view sends something; `*` stands for an id. */
function listSent(): Set<string> {
  const sent = new Set<string>();
  const files = readdirSync(FOLDER, { recursive: true }).map(String);
  const shared = namesIn(readFileSync(join(FOLDER, "pages/tab.tsx"), "utf8"));
  for (const file of files.filter((each) => /\.tsx?$/.test(each) && !each.endsWith(".test.ts"))) {
    const known = file.startsWith("pages/") ? shared : new Map<string, string>();
    for (const each of sentIn(readFileSync(join(FOLDER, file), "utf8"), known)) sent.add(each);
  }
  return sent;
}

/** Addresses that a source names, and functions that give one. */
function namesIn(source: string): Map<string, string> {
  const named = source.matchAll(/const (\w+) =\s*(?:\([^)]*\)(?:: \w+)? =>\s*)?(["`])(.*?)\2/gs);
  return new Map([...named].map(([, name = "", , text = ""]) => [name, text]));
}

/** As far from an address the method may stand. */
const NEAR = 160;
const WRITES = ["POST", "PUT", "PATCH", "DELETE"];

function sentIn(source: string, shared: ReadonlyMap<string, string>): string[] {
  const named = new Map([...shared, ...namesIn(source)]);
  const expand = (text: string, depth = 0): string =>
    depth > 4
      ? text
      : text.replace(/\$\{(\w+)(?:\([^}]*\))?\}/g, (whole, name) => {
          const found = named.get(name);
          return found !== undefined && /^(\/|\$\{)/.test(found) ? expand(found, depth + 1) : whole;
        });
  const addresses = source.matchAll(
    /(\bpath: |\bapi: |\bconst path = |\? |: )(?:(["`])((?:\/api\/|\$\{)[^"`]*)\2|([A-Z]\w*|\w+Of\([^)]*\)))/g,
  );
  return [...addresses].flatMap((match) => {
    const [whole, before, , literal, name] = match;
    const path = expand(literal ?? `\${${name}}`);
    if (!path.startsWith("/api/")) return [];
    const around = source.slice(Math.max(0, match.index - NEAR), match.index + whole.length + NEAR);
    const near = [...around.matchAll(/method: "(\w+)"/g)].map(([, method]) => method ?? "");
    const methods =
      before === "api: "
        ? [...near, "DELETE"]
        : near.length > 0 && before === "path: "
          ? near
          : [...near, ...methodsIn(source)];
    const place = path
      .replace(/\/api\/(?:core|uptime)\/v\d/, "")
      .replace(/\$\{(?:verb|kind|step|action|operation)[^}]*\}/g, "**")
      .replace(/\$\{[^}]*\}/g, "*")
      .replace(/\?.*/, "");
    return methods.map((method) => `${method} ${place}`);
  });
}

const methodsIn = (source: string) => WRITES.filter((method) => source.includes(`method: "${method}"`));

/** A variable part of an address stands for an id, unless the source chooses an operation by it. */
function isSent(operation: string, sent: ReadonlySet<string>): boolean {
  const parts = operation.split("/");
  return [...sent].some((each) => {
    const said = each.split("/");
    return (
      said.length === parts.length &&
      parts.every((part, n) => part === said[n] || said[n] === "**" || (part.startsWith("{") && said[n] === "*"))
    );
  });
}

describe("every operation of a person", () => {
  const operations = ENDPOINTS.filter(({ policy, path }) => policy.auth === "user" && !path.startsWith("/app/")).map(
    ({ method, path }) => `${method.toUpperCase()} ${path}`,
  );
  const sent = listSent();

  it("is there in a view, or left out for a reason", () => {
    const undecided = operations.filter(
      (operation) => !isSent(operation, sent) && !(operation in VIEWS) && !(operation in WITHOUT),
    );
    expect(undecided).toEqual([]);
  });

  it("is decided once, by a view that exists", () => {
    const paths = new Set(ENDPOINTS.map(({ path }) => path));
    expect(Object.entries(VIEWS).filter(([, path]) => !paths.has(path))).toEqual([]);
    const decided = [...Object.keys(VIEWS), ...Object.keys(WITHOUT)];
    expect(decided.filter((each) => !operations.includes(each))).toEqual([]);
    expect(Object.keys(WITHOUT).filter((each) => each in VIEWS || isSent(each, sent))).toEqual([]);
  });
});
