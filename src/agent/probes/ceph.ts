import { execFile } from "node:child_process";
import type { ApiCheck } from "../../contract/infrastructure-check.ts";
import { IoFault } from "../../lib/io-fault.ts";
import { type ApiTarget, cephType } from "../../probes/agent-types.ts";
import type { Probe } from "../../probes/port.ts";
import { codeOf } from "../files.ts";
import { JsonApi, listOf, numberOf, objectOf, parseJson, requireOk, textOf } from "./json-api.ts";
import { checkWith, type Verdict } from "./verdict.ts";

/** What one of the three ways to ask gives. */
interface CephHealth {
  status: string;
  /** Summaries of the checks that are not well. */
  problems: string[];
  osds: number | null;
  osds_up: number | null;
}

export const cephProbe: Probe<ApiTarget, ApiCheck> = {
  ...cephType,
  check: (target, options, io, signal) =>
    checkWith(io, signal, async () => {
      if (target.kind !== "url") return evaluateHealth(await fromCommand(signal));
      const api = new JsonApi({ ...target, credentials: null }, options, { io, signal });
      const { credentials } = target;
      return evaluateHealth(credentials ? await fromDashboard(api, credentials) : await fromExporter(api));
    }),
};

export function evaluateHealth({ status, problems, osds, osds_up }: CephHealth): Verdict {
  const details = { health: status, osds, osds_up, not_well: problems };
  const message = problems.length > 0 ? `${status}: ${problems.slice(0, 5).join(", ")}` : status;
  if (status === "HEALTH_OK")
    return { message: osds === null ? status : `${status}, ${osds_up} of ${osds} OSDs up`, details };
  return { outcome: status === "HEALTH_WARN" ? "slow" : "failure", message, details };
}

/** https://docs.ceph.com/en/latest/mgr/ceph_api/ */
async function fromDashboard(api: JsonApi, login: { username: string; password: string }): Promise<CephHealth> {
  const accept = "application/vnd.ceph.api.v1.0+json";
  const headers = { accept, "content-type": "application/json" };
  const { status, text } = await api.send("/api/auth", { method: "POST", headers, body: JSON.stringify(login) });
  if (status === 400) throw new IoFault("status", "the credentials were refused (HTTP 400)");
  requireOk(status, "/api/auth");
  const token = textOf(objectOf(parseJson(text)).token);
  const answer = objectOf(
    await api.json("/api/health/minimal", { headers: { accept, authorization: `Bearer ${token}` } }),
  );
  const health = objectOf(answer.health);
  const osds = listOf(objectOf(answer.osd_map).osds);
  return {
    status: textOf(health.status),
    problems: listOf(health.checks).map(({ type, summary }) => textOf(objectOf(summary).message) || textOf(type)),
    osds: osds.length,
    osds_up: osds.filter(({ up }) => up === 1).length,
  };
}

/** https://docs.ceph.com/en/latest/mgr/prometheus/ */
async function fromExporter(api: JsonApi): Promise<CephHealth> {
  const { status, text } = await api.send("/metrics", { headers: { accept: "text/plain" } });
  requireOk(status, "/metrics");
  const health = /^ceph_health_status(?:\{[^}]*\})? (\d)/m.exec(text)?.[1];
  const word = ["HEALTH_OK", "HEALTH_WARN", "HEALTH_ERR"][Number(health)];
  if (!word) throw new IoFault("protocol", "the answer is not that of Ceph's Prometheus module");
  const up = [...text.matchAll(/^ceph_osd_up\{[^}]*\} ([\d.]+)/gm)].map((match) => Number(match[1]));
  const problems = [...text.matchAll(/^ceph_health_detail\{[^}]*name="([^"]+)"[^}]*\} 1/gm)].map(
    (match) => match[1] ?? "",
  );
  return { status: word, problems, osds: up.length, osds_up: up.filter((value) => value === 1).length };
}

function fromCommand(signal: AbortSignal): Promise<CephHealth> {
  return new Promise((resolve, reject) => {
    execFile("ceph", ["status", "--format", "json"], { signal, maxBuffer: 4 * 1024 * 1024 }, (error, stdout) => {
      if (codeOf(error) === "ENOENT") {
        return reject(new IoFault("unsupported", "this host has no ceph program; install ceph-common"));
      }
      if (error)
        return reject(
          signal.aborted ? signal.reason : new IoFault("connect", "the cluster does not answer ceph status"),
        );
      try {
        resolve(healthOfStatus(parseJson(stdout)));
      } catch (fault) {
        reject(fault);
      }
    });
  });
}

/** What `ceph status --format json` prints. */
export function healthOfStatus(value: unknown): CephHealth {
  const { health, osdmap } = objectOf(value);
  const checks = Object.values(objectOf(objectOf(health).checks)).map(objectOf);
  const map = objectOf(objectOf(osdmap).osdmap ?? osdmap);
  return {
    status: textOf(objectOf(health).status),
    problems: checks.map(({ summary }) => textOf(objectOf(summary).message)),
    osds: numberOf(map.num_osds),
    osds_up: numberOf(map.num_up_osds),
  };
}
