import { getReachableNetworks } from "../../features/reachable-networks/service.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { requireApi } from "../call-api.ts";
import { type FormField, storedValues } from "../form-fields.ts";
import { type EditForm, showForm, submitForm } from "../object-form.tsx";
import { action, redirectWithNotice, view } from "../view.ts";

const HERE = "/app/installation/networks";
const API = "/api/core/v1/reachable-networks";

const FIELDS: readonly FormField[] = [
  {
    kind: "lines",
    name: "networks",
    label: "Networks",
    hint: "Private addresses, networks such as 192.168.1.0/24 and names such as localhost, one a line. Remove a line, and nothing is sent there any more.",
  },
];

async function formOf(c: AppContext): Promise<EditForm> {
  const { networks, set_by_environment, in_force } = await getReachableNetworks(c.var.ctx);
  return {
    title: "Allowed networks",
    section: "account",
    trail: [
      { href: "/app/account", text: "Account" },
      { href: "/app/installation", text: "Installation" },
    ],
    fields: FIELDS,
    action: HERE,
    cancel: "/app/installation",
    stored: storedValues(FIELDS, { networks }),
    above: (
      <>
        <p class="quiet">What checks and alerts reach although it is not public.</p>
        {in_force ? null : (
          <p class="banner is-info">
            Nothing of this list holds: it needs a service that only its own machine reaches, with one account. Name
            networks in EGRESS_ALLOW, or use an agent.
          </p>
        )}
        {set_by_environment.length > 0 && (
          <p class="quiet">Also reached, by EGRESS_ALLOW of the service: {set_by_environment.join(", ")}.</p>
        )}
      </>
    ),
  };
}

export const endpoints = [
  view({ path: HERE, summary: "Form of the networks that are reached, for operators" }, async (c) => {
    const form = await formOf(c);
    return showForm(c, form, form.stored);
  }),
  action({ path: HERE, summary: "Change which networks are reached" }, async (c, entered) => {
    const sent = await submitForm(c, await formOf(c), entered, { method: "PUT", path: API });
    return sent.ok ? redirectWithNotice("/app/installation", `Saved.${sent.kept}`) : sent.response;
  }),
];

/** Adds the one that `AllowNetwork` offered. */
export async function allowNetwork(c: AppContext, network: string): Promise<void> {
  const { networks } = await getReachableNetworks(c.var.ctx);
  await requireApi(c, { method: "PUT", path: API, body: { networks: [...networks, network] } });
}

/** A button within the form of what was refused, which is judged again. */
export function AllowNetwork({ network }: { network: string }) {
  return (
    <div class="banner is-info">
      <p>
        {network} is not public, so nothing is sent there. You alone use this service, and may allow it:{" "}
        <button type="submit" class="second" name="allow" value={network}>
          Allow this network
        </button>
      </p>
    </div>
  );
}
