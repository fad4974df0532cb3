import type { ApiCheck } from "../../contract/infrastructure-check.ts";
import { IoFault } from "../../lib/io-fault.ts";
import { type ApiTarget, vmwareType } from "../../probes/agent-types.ts";
import type { Probe } from "../../probes/port.ts";
import { JsonApi, listOf, missingOf, parseJson, requireOk, textOf } from "./json-api.ts";
import { checkWith, failureOf, type Verdict } from "./verdict.ts";

/** A vCenter server. https://developer.broadcom.com/xapis/vsphere-automation-api/latest/ */
export const vmwareProbe: Probe<ApiTarget, ApiCheck> = {
  ...vmwareType,
  check: (target, options, io, signal) =>
    checkWith(io, signal, async () => {
      if (target.kind !== "url") throw new Error("the target of a vCenter is an address");
      if (!target.credentials) {
        throw new IoFault("unsupported", "target must name a user and a password: https://user:password@host");
      }
      const api = new JsonApi(target, options, { io, signal });
      const headers = { "vmware-api-session-id": await openSession(api), authorization: "" };
      try {
        return await evaluateVcenter(api, headers, options.components);
      } finally {
        // A vCenter has room for so many sessions, and keeps one for half an hour.
        await api.send("/api/session", { method: "DELETE", headers }).catch(() => {});
      }
    }),
};

async function openSession(api: JsonApi): Promise<string> {
  const { status, text } = await api.send("/api/session", { method: "POST" });
  requireOk(status, "/api/session");
  const session = parseJson(text);
  if (typeof session !== "string") throw new IoFault("protocol", "the answer is not that of a vCenter");
  return session;
}

async function evaluateVcenter(
  api: JsonApi,
  headers: Record<string, string>,
  wanted: readonly string[],
): Promise<Verdict> {
  const hosts = listOf(await api.json("/api/vcenter/host", { headers }));
  const machines = listOf(await api.json("/api/vcenter/vm", { headers }));
  const lost = hosts.filter(({ connection_state }) => connection_state !== "CONNECTED");
  const watched = machines.filter(({ name }) => wanted.includes(textOf(name)));
  const problems = [
    ...lost.map(({ name, connection_state }) => `host ${name} is ${stateOf(connection_state)}`),
    ...missingOf(
      wanted,
      machines.map(({ name }) => textOf(name)),
    ),
    ...watched
      .filter(({ power_state }) => power_state !== "POWERED_ON")
      .map(({ name, power_state }) => `${name} is ${stateOf(power_state)}`),
  ];
  const running = machines.filter(({ power_state }) => power_state === "POWERED_ON").length;
  const counted = { hosts: hosts.length, virtual_machines: machines.length, running };
  const details = { ...counted, hosts_not_connected: lost.map(({ name }) => textOf(name)), not_well: problems };
  if (problems.length > 0) return { ...failureOf(problems), details };
  return { message: `${hosts.length} hosts connected, ${running} of ${machines.length} machines running`, details };
}

const stateOf = (state: unknown) => textOf(state).toLowerCase().replaceAll("_", " ");
