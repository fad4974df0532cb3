import { OpenAPIHono } from "@hono/zod-openapi";
import { endpoints as dashboard, HTML_AREA as dashboardArea, SPOKEN_PATHS } from "./dashboard/routes.ts";
import { speakWords } from "./dashboard/words.ts";
import { endpoints as account } from "./features/account/routes.ts";
import { endpoints as agentApi } from "./features/agent-api/routes.ts";
import { endpoints as agentCommands } from "./features/agent-commands/routes.ts";
import { endpoints as agentDiscoveries } from "./features/agent-discoveries/routes.ts";
import { endpoints as agentProgram } from "./features/agent-program/routes.ts";
import { endpoints as agents } from "./features/agents/routes.ts";
import { endpoints as alertAnswers } from "./features/alert-answers/routes.ts";
import { endpoints as alertReceivers } from "./features/alert-receivers/routes.ts";
import { endpoints as apiMonitoring } from "./features/api-monitoring/routes.ts";
import { endpoints as audit } from "./features/audit/routes.ts";
import { endpoints as byKey } from "./features/by-key/routes.ts";
import { endpoints as capacity } from "./features/capacity/routes.ts";
import { endpoints as chatAccounts } from "./features/chat-accounts/routes.ts";
import { endpoints as chatLinks } from "./features/chat-links/routes.ts";
import { endpoints as chatServices } from "./features/chat-services/routes.ts";
import { endpoints as results } from "./features/check-results/routes.ts";
import { endpoints as customDomains } from "./features/custom-domains/routes.ts";
import { endpoints as customEvents } from "./features/custom-events/routes.ts";
import { endpoints as deactivation } from "./features/deactivation/routes.ts";
import { endpoints as demonstration } from "./features/demonstration/routes.ts";
import { endpoints as escalations } from "./features/escalations/routes.ts";
import { endpoints as eventRules } from "./features/event-rules/routes.ts";
import { endpoints as gameServers } from "./features/game-servers/routes.ts";
import { endpoints as groups } from "./features/groups/routes.ts";
import { endpoints as health } from "./features/health/routes.ts";
import { endpoints as healthchecks } from "./features/healthchecks/routes.ts";
import { endpoints as incidentTemplates } from "./features/incident-templates/routes.ts";
import { endpoints as incidents } from "./features/incidents/routes.ts";
import { endpoints as incomingAlerts } from "./features/incoming-alerts/routes.ts";
import { endpoints as latency } from "./features/latency/routes.ts";
import { endpoints as maintenance } from "./features/maintenance/routes.ts";
import { endpoints as mcp } from "./features/mcp/routes.ts";
import { endpoints as members } from "./features/members/routes.ts";
import { endpoints as metrics } from "./features/metrics/routes.ts";
import { endpoints as migration } from "./features/monitor-migration/routes.ts";
import { endpoints as monitors } from "./features/monitors/routes.ts";
import { endpoints as notifications } from "./features/notifications/routes.ts";
import { endpoints as notifyContacts } from "./features/notify-contacts/routes.ts";
import { answerOperator } from "./features/object-state/routes.ts";
import { endpoints as onCall } from "./features/on-call/routes.ts";
import { endpoints as onCallCalendars } from "./features/on-call-calendars/routes.ts";
import { endpoints as outages } from "./features/outages/routes.ts";
import { endpoints as overview } from "./features/overview/routes.ts";
import { endpoints as pageSettings } from "./features/page-settings/routes.ts";
import { endpoints as pageTransfers } from "./features/page-transfers/routes.ts";
import { endpoints as passkeys } from "./features/passkeys/routes.ts";
import { endpoints as phoneAnswers } from "./features/phone-answers/routes.ts";
import { endpoints as pingKeys } from "./features/ping-keys/routes.ts";
import { endpoints as preferences } from "./features/preferences/routes.ts";
import { endpoints as push } from "./features/push/routes.ts";
import { endpoints as pushAliases } from "./features/push-aliases/routes.ts";
import { endpoints as reachableNetworks } from "./features/reachable-networks/routes.ts";
import { endpoints as referrals } from "./features/referrals/routes.ts";
import { endpoints as savedViews } from "./features/saved-views/routes.ts";
import { endpoints as secrets } from "./features/secrets/routes.ts";
import { endpoints as sessionPolicy } from "./features/session-policy/routes.ts";
import { endpoints as sessions } from "./features/sessions/routes.ts";
import { endpoints as signIns } from "./features/sign-in/routes.ts";
import { endpoints as signInProviders } from "./features/sign-in-providers/routes.ts";
import { endpoints as sla } from "./features/sla/routes.ts";
import { endpoints as statusPages } from "./features/status-pages/routes.ts";
import { endpoints as subscribers } from "./features/subscribers/routes.ts";
import { endpoints as thresholdTuner } from "./features/threshold-tuner/routes.ts";
import { endpoints as timeline } from "./features/timeline/routes.ts";
import { endpoints as trustedWorkflows } from "./features/trusted-workflows/routes.ts";
import { endpoints as history } from "./features/uptime/routes.ts";
import { endpoints as wallLinks } from "./features/wall-links/routes.ts";
import { endpoints as webhooks } from "./features/webhooks/routes.ts";
import { mountDocs } from "./http/docs.ts";
import type { AppEnv, Endpoint } from "./http/endpoint.ts";
import { rejectInvalid } from "./http/errors.ts";
import { mountAll } from "./http/middleware.ts";
import { lazy } from "./lib/lazy.ts";
import { PUBLIC_ENDPOINTS } from "./public-app.ts";
import { routeHosts } from "./status-page/custom-host.ts";
import { HTML_AREA as publicArea } from "./status-page/routes.ts";
import { answerWarm } from "./status-page/warm-answers.ts";

/** Every endpoint of the API, each mounted under the addresses that its policy names. */
export const ENDPOINTS: readonly Endpoint[] = [
  ...account,
  // The agents' own addresses come before `/agents/{agent_id}`, which would take their last word for an id.
  ...agentProgram,
  ...agentApi,
  ...agentCommands,
  ...agents,
  ...agentDiscoveries,
  ...apiMonitoring,
  ...audit,
  ...byKey,
  ...capacity,
  ...deactivation,
  ...signInProviders,
  ...sessionPolicy,
  ...reachableNetworks,
  ...trustedWorkflows,
  ...chatAccounts,
  ...demonstration,
  ...customDomains,
  ...customEvents,
  ...incomingAlerts,
  ...eventRules,
  ...gameServers,
  ...groups,
  ...health,
  ...history,
  ...incidentTemplates,
  ...chatLinks,
  ...chatServices,
  ...phoneAnswers,
  ...alertAnswers,
  ...onCall,
  ...escalations,
  ...onCallCalendars,
  ...incidents,
  ...alertReceivers,
  ...latency,
  ...maintenance,
  ...timeline,
  ...mcp,
  ...members,
  ...metrics,
  ...migration,
  ...monitors,
  ...notifications,
  ...notifyContacts,
  ...outages,
  ...overview,
  ...pageSettings,
  ...pageTransfers,
  ...preferences,
  ...push,
  ...pingKeys,
  ...healthchecks,
  ...pushAliases,
  ...referrals,
  ...results,
  ...savedViews,
  ...secrets,
  ...sessions,
  ...signIns,
  ...passkeys,
  ...sla,
  ...statusPages,
  ...subscribers,
  ...thresholdTuner,
  ...wallLinks,
  ...webhooks,
  ...dashboard,
  ...PUBLIC_ENDPOINTS,
];

export function createApp(): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>({ defaultHook: rejectInvalid });
  const { fetch } = app;
  app.fetch = (request, env, context) =>
    answerOperator(request, env) ?? answerWarm(request, env) ?? fetch(request, env, context);
  app.use(routeHosts(fetch));
  for (const path of SPOKEN_PATHS) app.use(path, speakWords);
  mountAll(app, ENDPOINTS, [dashboardArea, publicArea]);
  mountDocs(app);
  return app;
}

export type App = ReturnType<typeof createApp>;
export const getApp = lazy(createApp);
