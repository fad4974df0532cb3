import { INCIDENT_TEMPLATE_BODIES } from "../../contract/incident-template.ts";
import { pageEndpointsOf } from "../../resource/endpoints.ts";
import { INCIDENT_TEMPLATE, templateVerbs } from "./service.ts";

export const endpoints = pageEndpointsOf(templateVerbs, {
  ...INCIDENT_TEMPLATE,
  ...INCIDENT_TEMPLATE_BODIES,
  at: ["v1", "v2"],
  tag: "Incident templates",
  path: "/incident-templates",
  id_param: "template_id",
  plural: "incident templates",
  a_noun: "an incident template",
  permission: "incidents.write",
  id_kind: "incident template",
  order: "by name",
  notes: { change: "Omitted fields keep their value; null clears them." },
});
