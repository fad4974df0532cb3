import type { ApiCheck } from "../../contract/infrastructure-check.ts";
import { IoFault } from "../../lib/io-fault.ts";
import { type ApiTarget, dockerSwarmType } from "../../probes/agent-types.ts";
import type { Probe } from "../../probes/port.ts";
import { engineReader, type ReadEngine } from "./engine.ts";
import { listOf, missingOf, numberOf, objectOf, textOf } from "./json-api.ts";
import { checkWith, failureOf, type Verdict } from "./verdict.ts";

/** Nodes and services, as a manager of the swarm sees them. https://docs.docker.com/reference/api/engine/ */
export const dockerSwarmProbe: Probe<ApiTarget, ApiCheck> = {
  ...dockerSwarmType,
  check: (target, options, io, signal) =>
    checkWith(io, signal, () => evaluateSwarm(engineReader(target, options, { io, signal }), options.components)),
};

async function evaluateSwarm(read: ReadEngine, wanted: readonly string[]): Promise<Verdict> {
  const swarm = objectOf(objectOf(await read("/info")).Swarm);
  if (swarm.LocalNodeState !== "active") throw new IoFault("status", "the engine is not part of a swarm");
  if (swarm.ControlAvailable !== true) {
    throw new IoFault("status", "the engine is not a manager of the swarm; watch one that is");
  }
  const nodes = listOf(await read("/nodes"));
  const services = listOf(await read("/services?status=true")).map((service) => {
    const status = objectOf(service.ServiceStatus);
    const name = textOf(objectOf(service.Spec).Name);
    return { name, running: numberOf(status.RunningTasks), desired: numberOf(status.DesiredTasks) };
  });
  const notReady = nodes.filter(({ Status }) => objectOf(Status).State !== "ready").map(nameOf);
  const watched = wanted.length > 0 ? services.filter(({ name }) => wanted.includes(name)) : services;
  const short = watched.filter(({ running, desired }) => running < desired);
  const problems = [
    ...missingOf(
      wanted,
      services.map(({ name }) => name),
    ),
    ...short.map(({ name, running, desired }) => `service ${name} runs ${running} of ${desired} tasks`),
    ...notReady.map((name) => `node ${name} is not ready`),
  ];
  const details = { nodes: nodes.length, nodes_not_ready: notReady, services: services.length, not_well: problems };
  if (problems.length > 0) return { ...failureOf(problems), details };
  return { message: `${services.length} services on ${nodes.length} nodes run`, details };
}

function nameOf(node: Record<string, unknown>): string {
  return textOf(objectOf(node.Description).Hostname) || textOf(node.ID);
}
