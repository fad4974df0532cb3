import type { ApiCheck } from "../../contract/infrastructure-check.ts";
import { type ApiTarget, kubernetesType } from "../../probes/agent-types.ts";
import type { Probe } from "../../probes/port.ts";
import { JsonApi, listOf, numberOf, objectOf, parseJson, requireOk, textOf } from "./json-api.ts";
import { checkWith, failureOf, type Verdict } from "./verdict.ts";

/** https://kubernetes.io/docs/reference/kubernetes-api/ with `Authorization: Bearer …` in http_headers. */
export const kubernetesProbe: Probe<ApiTarget, ApiCheck> = {
  ...kubernetesType,
  check: (target, options, io, signal) =>
    checkWith(io, signal, async () => {
      if (target.kind !== "url") throw new Error("the target of a cluster is an address");
      return evaluateCluster(new JsonApi(target, options, { io, signal }), options.components);
    }),
};

async function evaluateCluster(api: JsonApi, wanted: readonly string[]): Promise<Verdict> {
  requireOk((await api.send("/readyz")).status, "/readyz");
  const version = textOf(objectOf(await api.json("/version")).gitVersion);
  const nodes = listOf(objectOf(await api.json("/api/v1/nodes?limit=1000")).items);
  const notReady = nodes.filter((node) => !isReady(node)).map(nameOf);
  const deployments = wanted.length > 0 ? await named(api, wanted) : await listDeployments(api);
  const problems = [
    ...deployments.flatMap(({ name, value }) => deploymentProblem(name, value) ?? []),
    ...notReady.map((name) => `node ${name} is not ready`),
  ];
  const counted = { nodes: nodes.length, nodes_not_ready: notReady, deployments: deployments.length };
  const details = { version, ...counted, not_well: problems };
  if (problems.length > 0) return { ...failureOf(problems), details };
  return { message: `${nodes.length} nodes ready, ${deployments.length} deployments available`, details };
}

interface Deployment {
  name: string;
  /** Null where there is none of this name. */
  value: Record<string, unknown> | null;
}

async function named(api: JsonApi, wanted: readonly string[]): Promise<Deployment[]> {
  return Promise.all(
    wanted.map(async (name) => {
      const [first = "", second] = name.split("/");
      const [namespace, deployment] = second === undefined ? ["default", first] : [first, second];
      const path = `/apis/apps/v1/namespaces/${encodeURIComponent(namespace)}/deployments/${encodeURIComponent(deployment)}`;
      const { status, text } = await api.send(path);
      if (status === 404) return { name, value: null };
      requireOk(status, path);
      return { name, value: objectOf(parseJson(text)) };
    }),
  );
}

/** Empty where the credentials may read nodes only (403): then no deployments are configured. */
async function listDeployments(api: JsonApi): Promise<Deployment[]> {
  const path = "/apis/apps/v1/deployments?limit=1000";
  const { status, text } = await api.send(path);
  if (status === 403) return [];
  requireOk(status, path);
  return listOf(objectOf(parseJson(text)).items).map((value) => {
    return { name: `${textOf(objectOf(value.metadata).namespace)}/${nameOf(value)}`, value };
  });
}

function deploymentProblem(name: string, value: Record<string, unknown> | null): string | null {
  if (!value) return `${name} does not exist`;
  // Absent means one, as the API documents it.
  const wanted = objectOf(value.spec).replicas ?? 1;
  const available = numberOf(objectOf(value.status).availableReplicas);
  return available < numberOf(wanted) ? `${name} has ${available} of ${wanted} replicas` : null;
}

function isReady(node: Record<string, unknown>): boolean {
  const ready = listOf(objectOf(node.status).conditions).find(({ type }) => type === "Ready");
  return ready?.status === "True";
}

function nameOf(value: Record<string, unknown>): string {
  return textOf(objectOf(value.metadata).name);
}
