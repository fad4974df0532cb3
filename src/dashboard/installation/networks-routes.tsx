import { getReachableNetworks } from "../../features/reachable-networks/service.ts";
import type { AppContext } from "../../http/endpoint.ts";
import { requireApi } from "../call-api.ts";
import { type FormField, storedValues } from "../form-fields.ts";
import { type EditForm, showForm, submitForm } from "../object-form.tsx";
import { action, redirectWithNotice, view } from "../view.ts";
import { words } from "../words.ts";
import { installationTrail } from "./trail.ts";

const HERE = "/app/installation/networks";
const API = "/api/core/v1/reachable-networks";

const listFields = (): FormField[] => [
  {
    kind: "lines",
    name: "networks",
    label: words("dashboard-installation").networks.label,
    hint: words("dashboard-installation").networks.hint,
  },
];

async function formOf(c: AppContext): Promise<EditForm> {
  const text = words("dashboard-installation").networks;
  const fields = listFields();
  const { networks, set_by_environment, in_force } = await getReachableNetworks(c.var.ctx);
  return {
    title: text.title,
    section: "account",
    trail: installationTrail(),
    fields,
    action: HERE,
    cancel: "/app/installation",
    stored: storedValues(fields, { networks }),
    above: (
      <>
        <p class="quiet">{text.lead}</p>
        {in_force ? null : <p class="banner is-info">{text.idle}</p>}
        {set_by_environment.length > 0 && (
          <p class="quiet">{text.by_environment({ networks: set_by_environment.join(", ") })}</p>
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
    return sent.ok
      ? redirectWithNotice("/app/installation", words("dashboard-installation").saved({ kept: sent.kept }))
      : sent.response;
  }),
];

/** Adds the one that `AllowNetwork` offered. */
export async function allowNetwork(c: AppContext, network: string): Promise<void> {
  const { networks } = await getReachableNetworks(c.var.ctx);
  await requireApi(c, { method: "PUT", path: API, body: { networks: [...networks, network] } });
}

/** A button within the form of what was refused, which is judged again. */
export function AllowNetwork({ network }: { network: string }) {
  const text = words("dashboard-installation").networks;
  return (
    <div class="banner is-info">
      <p>
        {text.offer.parts({
          network,
          button: (
            <button type="submit" class="second" name="allow" value={network}>
              {text.allow}
            </button>
          ),
        })}
      </p>
    </div>
  );
}
