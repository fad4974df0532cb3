import { SECOND_FACTOR_RULES, type SessionPolicyField } from "../../contract/session-policy.ts";
import { presentPolicy } from "../../features/session-policy/present.ts";
import { getPolicy } from "../../features/session-policy/service.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { zoneLabel } from "../../lib/zoned-days.ts";
import { readerZone } from "../cookies.ts";
import { type FormField, storedValues } from "../form-fields.ts";
import { type EditForm, showForm, submitForm } from "../object-form.tsx";
import { action, redirectWithNotice, view } from "../view.ts";
import { words } from "../words.ts";
import { installationTrail } from "./trail.ts";

const HERE = "/app/installation/sessions";

/** Its instant is entered as the reader's clock shows it. */
function fieldsIn(zone: string, now: number): (FormField & { name: SessionPolicyField })[] {
  const text = words("dashboard-installation").policy;
  return [
    {
      kind: "number",
      name: "session_minutes",
      label: text.lasts.label,
      unit: text.minutes,
      min: 5,
      max: 576_000,
      placeholder: "43200",
      hint: text.lasts.hint,
    },
    {
      kind: "number",
      name: "session_idle_minutes",
      label: text.idle.label,
      unit: text.minutes,
      min: 5,
      max: 576_000,
      placeholder: "10080",
      hint: text.idle.hint,
    },
    {
      kind: "select",
      name: "second_factor",
      label: text.second_factor.label,
      required: true,
      options: SECOND_FACTOR_RULES.map((value) => ({ value, label: text.rules[value] })),
      hint: text.second_factor.hint,
    },
    {
      kind: "datetime",
      name: "second_factor_from",
      label: text.required_from.label,
      zone,
      hint: text.required_from.hint({ zone: zoneLabel(zone, now) }),
    },
    {
      kind: "lines",
      name: "allowed_networks",
      label: text.sign_in_from.label,
      hint: text.sign_in_from.hint,
    },
  ];
}

async function formOf(c: AppContext): Promise<EditForm> {
  const text = words("dashboard-installation").policy;
  const policy = presentPolicy(await getPolicy(c.var.ctx));
  const isFixed = (name: SessionPolicyField) => policy.set_by_environment.includes(name);
  const all = fieldsIn(readerZone(c.req.raw), c.var.now);
  const fields = all.filter(({ name }) => !isFixed(name));
  const fixed = all.filter(({ name }) => isFixed(name)).map(({ label }) => label);
  return {
    title: text.title,
    section: "account",
    trail: installationTrail(),
    fields,
    action: HERE,
    cancel: "/app/installation",
    stored: storedValues(fields, policy),
    above: (
      <>
        <p class="quiet">{text.lead}</p>
        {fixed.length > 0 && <p class="quiet">{text.by_environment({ fields: fixed.join(", ") })}</p>}
      </>
    ),
  };
}

/** An empty list lets in nobody; the form means everybody by it. */
function toBody({ allowed_networks, ...body }: Record<string, unknown>): Record<string, unknown> {
  if (allowed_networks === undefined) return body;
  const isEmpty = Array.isArray(allowed_networks) && allowed_networks.length === 0;
  return { ...body, allowed_networks: isEmpty ? null : allowed_networks };
}

export const endpoints = [
  view({ path: HERE, summary: "Form of the session policy, for operators" }, async (c) => {
    const form = await formOf(c);
    return showForm(c, form, form.stored);
  }),
  action({ path: HERE, summary: "Change the session policy" }, async (c, entered) => {
    const path = "/api/core/v1/session-policy";
    const sent = await submitForm(c, await formOf(c), entered, { method: "PATCH", path, toBody });
    return sent.ok
      ? redirectWithNotice("/app/installation", words("dashboard-installation").saved({ kept: sent.kept }))
      : sent.response;
  }),
];
