import type { ApiCheck } from "../../contract/infrastructure-check.ts";
import { type ApiTarget, proxmoxType } from "../../probes/agent-types.ts";
import type { Probe } from "../../probes/port.ts";
import { JsonApi, listOf, missingOf, objectOf, parseJson, textOf } from "./json-api.ts";
import { checkWith, failureOf, type Verdict } from "./verdict.ts";

/** https://pve.proxmox.com/pve-docs/api-viewer/ with `Authorization: PVEAPIToken=user@realm!name=secret` in http_headers. */
export const proxmoxProbe: Probe<ApiTarget, ApiCheck> = {
  ...proxmoxType,
  check: (target, options, io, signal) =>
    checkWith(io, signal, async () => {
      if (target.kind !== "url") throw new Error("the target of a cluster is an address");
      return evaluateCluster(new JsonApi(target, options, { io, signal }), options.components);
    }),
};

async function evaluateCluster(api: JsonApi, wanted: readonly string[]): Promise<Verdict> {
  const [status, resources] = await Promise.all([data(api, "/cluster/status"), data(api, "/cluster/resources")]);
  const nodes = resources.filter(({ type }) => type === "node");
  const guests = resources.filter(({ type }) => type === "qemu" || type === "lxc");
  const namesOf = (guest: Record<string, unknown>) => [textOf(guest.name), String(guest.vmid)];
  const watched = guests.filter((guest) => namesOf(guest).some((name) => wanted.includes(name)));
  const online = nodes.filter(({ status: state }) => state === "online").map(({ node }) => textOf(node));
  const offline = nodes.map(({ node }) => textOf(node)).filter((node) => !online.includes(node));
  const disks = (await Promise.all(online.map((node) => failingDisks(api, node)))).flat();
  const problems = [
    ...(status.some(({ type, quorate }) => type === "cluster" && quorate !== 1) ? ["the cluster has no quorum"] : []),
    ...offline.map((node) => `node ${node} is offline`),
    ...missingOf(wanted, guests.flatMap(namesOf)),
    ...watched
      .filter(({ status: state }) => state !== "running")
      .map(({ name, status: state }) => `${name} is ${state}`),
    ...disks,
  ];
  const running = guests.filter(({ status: state }) => state === "running").length;
  const details = { nodes: nodes.length, nodes_offline: offline, guests: guests.length, running, not_well: problems };
  if (problems.length > 0) return { ...failureOf(problems), details };
  return { message: `${online.length} nodes online, ${running} of ${guests.length} guests running`, details };
}

async function data(api: JsonApi, path: string) {
  return listOf(objectOf(await api.json(`/api2/json${path}`)).data);
}

/** Tokens without Sys.Audit on the node see no disks; that alone is no failure. */
async function failingDisks(api: JsonApi, node: string): Promise<string[]> {
  const { status, text } = await api.send(`/api2/json/nodes/${encodeURIComponent(node)}/disks/list`);
  if (status !== 200) return [];
  return listOf(objectOf(parseJson(text)).data)
    .filter(({ health }) => typeof health === "string" && !["PASSED", "OK", "UNKNOWN"].includes(health))
    .map(({ devpath, health }) => `disk ${textOf(devpath)} of ${node} reports ${health}`);
}
