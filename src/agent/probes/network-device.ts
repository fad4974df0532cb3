import type { NetworkDeviceCheck } from "../../contract/infrastructure-check.ts";
import { networkDeviceType } from "../../probes/agent-types.ts";
import type { Probe } from "../../probes/port.ts";
import type { ServerTarget } from "../../probes/server-target.ts";
import { missingOf } from "./json-api.ts";
import { type SnmpSession, withSession } from "./snmp-session.ts";
import { checkWith, failureOf, type Verdict } from "./verdict.ts";

/** RFC 3418 (system) and RFC 2863 (interfaces). */
const SYSTEM = { description: "1.3.6.1.2.1.1.1.0", uptime: "1.3.6.1.2.1.1.3.0", name: "1.3.6.1.2.1.1.5.0" };
const INTERFACES = { description: "1.3.6.1.2.1.2.2.1.2", admin: "1.3.6.1.2.1.2.2.1.7", oper: "1.3.6.1.2.1.2.2.1.8" };
const UP = "1";
const TEXT_MAX = 200;

/** A switch, router or similar, by SNMP: it answers, and the interfaces that are named are up. */
export const networkDeviceProbe: Probe<ServerTarget, NetworkDeviceCheck> = {
  ...networkDeviceType,
  check: (target, options, io, signal) =>
    checkWith(io, signal, () =>
      withSession(target, options, signal, (session) => checkDevice(session, options.components)),
    ),
};

async function checkDevice(session: SnmpSession, wanted: readonly string[]): Promise<Verdict> {
  const system = new Map((await session.get(Object.values(SYSTEM))).map(({ oid, value }) => [oid, value]));
  const names = await session.walk(INTERFACES.description);
  const admin = await session.walk(INTERFACES.admin);
  const oper = await session.walk(INTERFACES.oper);
  const interfaces = [...names].map(([index, name]) => ({
    name,
    isEnabled: admin.get(index) === UP,
    isUp: oper.get(index) === UP,
  }));
  const down = interfaces.filter(({ name, isUp }) => wanted.includes(name) && !isUp);
  const problems = [
    ...missingOf(
      wanted,
      interfaces.map(({ name }) => name),
    ).map((missing) => `interface ${missing}`),
    ...down.map(({ name, isEnabled }) => `interface ${name} is ${isEnabled ? "down" : "switched off"}`),
  ];
  const up = interfaces.filter(({ isUp }) => isUp).length;
  const name = system.get(SYSTEM.name) || "the device";
  const details = {
    name,
    description: (system.get(SYSTEM.description) ?? "").slice(0, TEXT_MAX),
    // Hundredths of a second.
    uptime_seconds: Math.floor(Number(system.get(SYSTEM.uptime) ?? 0) / 100),
    interfaces: interfaces.length,
    interfaces_up: up,
    not_well: problems,
  };
  if (problems.length > 0) return { ...failureOf(problems), details };
  return { message: `${name} answers, ${up} of ${interfaces.length} interfaces up`, details };
}
