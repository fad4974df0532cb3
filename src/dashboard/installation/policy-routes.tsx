import type { SecondFactorRule, SessionPolicyField } from "../../contract/session-policy.ts";
import { presentPolicy } from "../../features/session-policy/present.ts";
import { getPolicy } from "../../features/session-policy/service.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { zoneLabel } from "../../lib/zoned-days.ts";
import { readerZone } from "../cookies.ts";
import { type FormField, storedValues } from "../form-fields.ts";
import { type EditForm, showForm, submitForm } from "../object-form.tsx";
import { action, redirectWithNotice, view } from "../view.ts";

const HERE = "/app/installation/sessions";

const RULES: Record<SecondFactorRule, string> = {
  optional: "Nobody has to have one",
  passwords: "Everybody who does not sign in by a provider",
  everybody: "Everybody",
};

/** Its instant is entered as the reader's clock shows it. */
const fieldsIn = (zone: string, now: number): (FormField & { name: SessionPolicyField })[] => [
  {
    kind: "number",
    name: "session_minutes",
    label: "A session lasts at most",
    unit: "minutes",
    min: 5,
    max: 576_000,
    placeholder: "43200",
    hint: "1,440 are a day; 30 days unless set.",
  },
  {
    kind: "number",
    name: "session_idle_minutes",
    label: "Without use",
    unit: "minutes",
    min: 5,
    max: 576_000,
    placeholder: "10080",
    hint: "7 days unless set.",
  },
  {
    kind: "select",
    name: "second_factor",
    label: "Second factor",
    required: true,
    options: Object.entries(RULES).map(([value, label]) => ({ value, label })),
    hint: "An authenticator app or a passkey. People without one are led to set one up, and do nothing else before. API tokens go on.",
  },
  {
    kind: "datetime",
    name: "second_factor_from",
    label: "Required from",
    zone,
    hint: `${zoneLabel(zone, now)}. Until then people are reminded in every view. Empty: at once.`,
  },
  {
    kind: "lines",
    name: "allowed_networks",
    label: "Sign-in from",
    hint: "Addresses and networks such as 192.0.2.0/24, one a line; yours has to be among them. Empty: from anywhere.",
  },
];

async function formOf(c: AppContext): Promise<EditForm> {
  const policy = presentPolicy(await getPolicy(c.var.ctx));
  const isFixed = (name: SessionPolicyField) => policy.set_by_environment.includes(name);
  const all = fieldsIn(readerZone(c.req.raw), c.var.now);
  const fields = all.filter(({ name }) => !isFixed(name));
  const fixed = all.filter(({ name }) => isFixed(name)).map(({ label }) => label);
  return {
    title: "Session policy",
    section: "account",
    trail: [
      { href: "/app/account", text: "Account" },
      { href: "/app/installation", text: "Installation" },
    ],
    fields,
    action: HERE,
    cancel: "/app/installation",
    stored: storedValues(fields, policy),
    above: (
      <>
        <p class="quiet">What is asked of everybody who signs in, sessions that are open already included.</p>
        {fixed.length > 0 && (
          <p class="quiet">Set by variables of the service, and changed there alone: {fixed.join(", ")}.</p>
        )}
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
    return sent.ok ? redirectWithNotice("/app/installation", `Saved.${sent.kept}`) : sent.response;
  }),
];
