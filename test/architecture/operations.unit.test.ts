import { describe, expect, it } from "vitest";
import { ENDPOINTS } from "../../src/app.ts";
import { SURFACES } from "../../src/http/endpoint.ts";

/** Every operation that clients rely on, by the version under which it is found. A removed one breaks them. */
const CORE = `
GET /user/api-tokens
POST /user/api-tokens
DELETE /user/api-tokens/:id
GET /billing/status
GET /notifications
GET /overview
GET /uptime/tier-info
GET /health
`;

const V1 = `
GET /overview
GET /health
GET /monitors
POST /monitors
GET /monitors/:id
PUT /monitors/:id
DELETE /monitors/:id
GET /monitors/:id/latency-baseline
PUT /monitors/order
POST /monitors/:id/status
GET /status-pages
POST /status-pages
GET /status-pages/check-slug
GET /status-pages/member-of
GET /status-pages/:id
PUT /status-pages/:id
DELETE /status-pages/:id
PUT /status-pages/:id/ssl
PUT /status-pages/:id/legal
PATCH /status-pages/:id/alerting
GET /status-pages/:id/monitors
GET /status-pages/:id/groups
GET /status-pages/:id/incidents
GET /status-pages/:id/incidents/stats
GET /status-pages/:id/maintenance
GET /status-pages/:id/seats
POST /status-pages/:id/monitors/migrate
GET /status-pages/:id/members
POST /status-pages/:id/members
POST /status-pages/members/accept
PUT /status-pages/:id/members/:member_id
DELETE /status-pages/:id/members/:member_id
DELETE /status-pages/:id/members/invitations/:invitation_id
GET /status-pages/:id/sla
GET /status-pages/:id/sla-targets
PUT /status-pages/:id/sla-targets
GET /status-pages/:id/sla/export
GET /status-pages/:id/sla-policy
PUT /status-pages/:id/sla-policy
GET /sla-policies
POST /sla-policies
GET /sla-policies/:id
PUT /sla-policies/:id
DELETE /sla-policies/:id
GET /status-pages/:id/on-call
PUT /status-pages/:id/on-call
DELETE /status-pages/:id/on-call
GET /status-pages/:id/on-call/policies
POST /status-pages/:id/on-call/policies
PUT /status-pages/:id/on-call/policies/:policyId
DELETE /status-pages/:id/on-call/policies/:policyId
GET /status-pages/:id/on-call/schedules
POST /status-pages/:id/on-call/schedules
GET /status-pages/:id/on-call/schedules/:scheduleId
PUT /status-pages/:id/on-call/schedules/:scheduleId
DELETE /status-pages/:id/on-call/schedules/:scheduleId
GET /status-pages/:id/events/rules
POST /status-pages/:id/events/rules
PUT /status-pages/:id/events/rules/:rule_id
DELETE /status-pages/:id/events/rules/:rule_id
GET /status-pages/:id/events/rules/export
POST /status-pages/:id/events/rules/import
POST /status-pages/:id/events/rules/:rule_id/test
POST /status-pages/:id/events/rules/:rule_id/backtest
GET /status-pages/:id/events/rules/:rule_id/versions
POST /status-pages/:id/events/rules/:rule_id/restore/:version
GET /status-pages/:id/events/log
POST /status-pages/:id/events/emit
GET /status-pages/:id/incident-templates
POST /status-pages/:id/incident-templates
PUT /status-pages/:id/incident-templates/:template_id
DELETE /status-pages/:id/incident-templates/:template_id
GET /status-pages/:id/alert-setup
POST /status-pages/:id/alert-setup
PUT /status-pages/:status_page_id/alert-setup/:id
DELETE /status-pages/:status_page_id/alert-setup/:id
POST /status-pages/:status_page_id/alert-setup/:id/test
POST /status-pages/:id/discord/token
GET /status-pages/:id/discord/status-channels
DELETE /discord/status-channels/:id
GET /groups
POST /groups
PUT /groups/order
PUT /groups/:id
DELETE /groups/:id
GET /incidents
POST /incidents
GET /incidents/:id
PUT /incidents/:id
DELETE /incidents/:id
POST /incidents/:id/updates
POST /incidents/:id/publish
POST /incidents/:id/unpublish
GET /maintenance
POST /maintenance
GET /maintenance/:id
PUT /maintenance/:id
DELETE /maintenance/:id
GET /maintenance/:id/updates
POST /maintenance/:id/updates
PUT /maintenance/:id/updates/:update_id
DELETE /maintenance/:id/updates/:update_id
GET /webhooks
POST /webhooks
GET /webhooks/:id
PUT /webhooks/:id
DELETE /webhooks/:id
POST /webhooks/:id/test
PATCH /webhooks/:id/toggle
PATCH /webhooks/:id/team-only
GET /notify-contacts
POST /notify-contacts
DELETE /notify-contacts/:id
GET /subscribers
GET /audit-logs
GET /audit/logs
GET /audit/stats
GET /audit/status-page/:id/daily-events
GET /audit/monitor/:id/events
GET /referrals/stats
POST /referrals/redeem
POST /referrals/click
GET /agents
POST /agents
GET /agents/token
GET /agents/:agent_id
GET /agents/:agent_id/detail
GET /agents/:agent_id/metrics
PUT /agents/:agent_id
DELETE /agents/:agent_id
GET /agents/version
GET /agents/install
POST /agents/handshake
POST /agents/enroll
POST /agents/metrics
POST /agents/events
POST /agents/discoveries
GET /agents/monitors
GET /agents/commands
POST /agents/commands/:id/ack
POST /heartbeat/:monitor_id
POST /api-monitoring/push
GET /api-monitoring/monitors/:id
PUT /api-monitoring/monitors/:id/config
GET /api-monitoring/monitors/:id/metrics
POST /api-monitoring/monitors/:id/regenerate-key
`;

const V2 = `
POST /game-server/push
GET /game-server/monitors
GET /game-server/monitors/:id
PUT /game-server/monitors/:id/config
GET /game-server/monitors/:id/metrics
GET /game-server/monitors/:id/plugin
POST /game-server/monitors/:id/regenerate-key
POST /api-monitoring/push
GET /api-monitoring/monitors/:id
PUT /api-monitoring/monitors/:id/config
GET /api-monitoring/monitors/:id/metrics
POST /api-monitoring/monitors/:id/regenerate-key
GET /status-pages/:id/events/rules
POST /status-pages/:id/events/emit
GET /status-pages/:id/incident-templates
POST /status-pages/:id/incident-templates
`;

/** The names of parameters are no part of an address. */
const nameless = (path: string) => path.replace(/:\w+|\{\w+\}/g, "*");

const mounted = new Set(
  ENDPOINTS.flatMap(({ method, path, policy }) =>
    policy.at.map((surface) => `${method.toUpperCase()} ${SURFACES[surface]}${nameless(path)}`),
  ),
);

describe("an operation that clients rely on is mounted", () => {
  it.each(
    Object.entries({ core: CORE, v1: V1, v2: V2 } as const).flatMap(([surface, list]) =>
      list
        .trim()
        .split("\n")
        .map((operation) => [operation, surface as "core" | "v1" | "v2"] as const),
    ),
  )("%s under %s", (operation, surface) => {
    const [method, path = ""] = operation.split(" ");
    expect(mounted).toContain(`${method} ${SURFACES[surface]}${nameless(path)}`);
  });
});
