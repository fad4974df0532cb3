import type { SnmpCheck, SnmpOperator } from "../../contract/infrastructure-check.ts";
import { IoFault } from "../../lib/io-fault.ts";
import { snmpAgentType } from "../../probes/agent-types.ts";
import type { Probe } from "../../probes/port.ts";
import type { ServerTarget } from "../../probes/server-target.ts";
import { withSession } from "./snmp-session.ts";
import { checkWith, type Verdict } from "./verdict.ts";

const VALUE_MAX = 200;

export const snmpProbe: Probe<ServerTarget, SnmpCheck> = {
  ...snmpAgentType,
  check: (target, options, io, signal) =>
    checkWith(io, signal, () =>
      withSession(target, options, signal, async (session) => {
        const [found] = await session.get([options.snmp_oid]);
        if (!found) throw new IoFault("status", `the device has no value at ${options.snmp_oid}`);
        return evaluateValue(found.value, options);
      }),
    ),
};

export function evaluateValue(value: string, { snmp_oid, snmp_operator, snmp_value }: SnmpCheck): Verdict {
  const details = { oid: snmp_oid, value: value.slice(0, VALUE_MAX) };
  const shown = value.slice(0, VALUE_MAX);
  if (snmp_operator === null || snmp_value === null) return { message: `value is ${shown}`, details };
  if (holds(value, snmp_operator, snmp_value)) return { message: `value is ${shown}`, details };
  return { outcome: "failure", message: `value is ${shown}, expected ${snmp_operator} ${snmp_value}`, details };
}

function holds(value: string, operator: SnmpOperator, limit: string): boolean {
  switch (operator) {
    case "eq":
      return value === limit;
    case "neq":
      return value !== limit;
    case "contains":
      return value.includes(limit);
    case "gt":
      return Number(value) > Number(limit);
    case "gte":
      return Number(value) >= Number(limit);
    case "lt":
      return Number(value) < Number(limit);
    case "lte":
      return Number(value) <= Number(limit);
  }
}
