import type { ApiCheck } from "../../contract/infrastructure-check.ts";
import { IoFault } from "../../lib/io-fault.ts";
import type { NetIo } from "../../net/port.ts";
import { type AgentType, type ApiTarget, dockerType, podmanType } from "../../probes/agent-types.ts";
import type { Probe } from "../../probes/port.ts";
import { getFromSocket } from "../container-engine.ts";
import { codeOf } from "../files.ts";
import { JsonApi, listOf, missingOf, numberOf, objectOf, requireOk, textOf } from "./json-api.ts";
import { checkWith, failureOf, type Verdict } from "./verdict.ts";

/** Podman answers the API of Docker; both are only ever read. https://docs.docker.com/reference/api/engine/ */
export const dockerProbe = engineProbe(dockerType);
export const podmanProbe = engineProbe(podmanType);

function engineProbe(type: AgentType<ApiTarget, ApiCheck>): Probe<ApiTarget, ApiCheck> {
  return {
    ...type,
    check: (target, options, io, signal) =>
      checkWith(io, signal, () =>
        evaluateContainers(engineReader(target, options, { io, signal }), options.components),
      ),
  };
}

export type ReadEngine = (path: string) => Promise<unknown>;

export function engineReader(
  target: ApiTarget,
  options: ApiCheck,
  { io, signal }: { io: NetIo; signal: AbortSignal },
): ReadEngine {
  if (target.kind === "url") {
    const api = new JsonApi(target, options, { io, signal });
    return (path) => api.json(path);
  }
  const socketPath = target.kind === "socket" ? target.path : "";
  return async (path) => {
    try {
      const { status, value } = await getFromSocket(socketPath, path, signal);
      requireOk(status, path);
      return value;
    } catch (error) {
      throw explain(error, socketPath);
    }
  };
}

function explain(error: unknown, path: string): unknown {
  switch (codeOf(error)) {
    case "EACCES":
      return new IoFault("forbidden", `this agent may not read ${path}; add its user to the group that owns it`);
    case "ENOENT":
      return new IoFault("connect", `no container engine listens at ${path}`);
    default:
      return error;
  }
}

interface Container {
  id: string;
  name: string;
  state: string;
}

async function evaluateContainers(read: ReadEngine, wanted: readonly string[]): Promise<Verdict> {
  const all = listOf(await read("/containers/json?all=true")).map(containerOf);
  const running = all.filter(({ state }) => state === "running").length;
  const watched = wanted.length > 0 ? all.filter(({ name }) => wanted.includes(name)) : all;
  const problems = missingOf(
    wanted,
    all.map(({ name }) => name),
  );
  const filters = encodeURIComponent(JSON.stringify({ health: ["unhealthy"] }));
  const unhealthy = new Set(listOf(await read(`/containers/json?filters=${filters}`)).map(({ Id }) => textOf(Id)));
  for (const container of watched) {
    const isUnhealthy = unhealthy.has(container.id);
    const problem = isUnhealthy ? "is unhealthy" : await problemOf(read, container, wanted.length > 0);
    if (problem) problems.push(`${container.name} ${problem}`);
  }
  const details = { containers: all.length, running, not_well: problems };
  if (problems.length > 0) return { ...failureOf(problems), details };
  const message = wanted.length > 0 ? `${wanted.join(", ")} running` : `${running} of ${all.length} containers running`;
  return { message, details };
}

function containerOf(value: Record<string, unknown>): Container {
  const [name] = Array.isArray(value.Names) ? value.Names : [];
  const id = textOf(value.Id);
  return { id, name: textOf(name).replace(/^\//, "") || id.slice(0, 12), state: textOf(value.State) };
}

/**
 * A container that ended is a problem where it is watched by name, or where its engine was to keep it running: `always`,
 * and `on-failure` when it failed. With `unless-stopped` it was stopped on purpose, else the engine would start it again.
 */
async function problemOf(read: ReadEngine, { id, state }: Container, isNamed: boolean): Promise<string | null> {
  if (state === "restarting" || state === "dead") return `is ${state}`;
  if (state === "running") return null;
  if (isNamed && state !== "exited") return `is ${state}`;
  if (state !== "exited" && state !== "stopped") return null;
  const { State, HostConfig } = objectOf(await read(`/containers/${encodeURIComponent(id)}/json`));
  const code = numberOf(objectOf(State).ExitCode);
  const policy = textOf(objectOf(objectOf(HostConfig).RestartPolicy).Name);
  const isMeantToRun = isNamed || policy === "always" || (policy === "on-failure" && code !== 0);
  return isMeantToRun ? `exited with code ${code}` : null;
}
