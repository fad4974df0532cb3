import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { issueToken } from "../../scripts/local/accounts.ts";
import { manifestSchema } from "../../src/cli/manifest.ts";
import { PAGERDUTY } from "../support/on-call-tools.ts";
import { GATUS, HEALTHCHECKS, writeUptimeKuma } from "../support/other-tools.ts";
import { PROJECT_ROOT, type Service, START_TIMEOUT_MS, startService, temporaryDir } from "./support.ts";

const MANIFEST = `
version: 1
status_pages:
  shop:
    name: Shop status
    timezone: Europe/Berlin
groups:
  core: { name: Core, status_page: shop }
monitors:
  everything:
    type: composite
    status_page: shop
    children: [nightly, front]
  front:
    name: Front page
    type: https
    target: https://shop.example/
    status_page: shop
    group: core
    interval: 300
    regions: [weur, enam, apac]
    tags: [web, prod]
    http_headers: { Authorization: "Bearer \${SHOP_TOKEN}" }
    expected_statuses: [200-299, 304]
    paused: true
  nightly: { type: heartbeat, interval: 86400, status_page: shop }
webhooks:
  ops: { url: "https://hooks.example/\${HOOK}", secret: "\${SHOP_TOKEN}", events: [monitor.down], status_page: shop }
`;
/** As `npm run vigil` sets it: a command that need not read its sources anew takes half of the time. */
const NODE_COMPILE_CACHE = join(PROJECT_ROOT, "node_modules/.compile-cache");
const SECRETS = { SHOP_TOKEN: "a token of the shop", HOOK: "abc" };

describe("npm run vigil", () => {
  let service: Service;
  const dir = temporaryDir();
  const file = join(dir, "vigil.yaml");
  beforeAll(async () => {
    service = await startService({ env: { RATE_LIMITS: "all=off", LOG_LEVEL: "warn" } });
    writeFileSync(file, MANIFEST);
  }, START_TIMEOUT_MS);
  afterAll(() => service?.stop());

  async function vigil(args: string[], { env = {}, input = "" } = {}) {
    const session = { VIGIL_URL: service.url, VIGIL_TOKEN: service.token ?? "", XDG_CONFIG_HOME: dir };
    const child = spawn(process.execPath, ["src/cli/main.ts", ...args], {
      cwd: PROJECT_ROOT,
      env: { ...session, ...SECRETS, NODE_COMPILE_CACHE, ...env },
    });
    child.stdin.end(input);
    const ended = once(child, "close");
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: (await ended)[0] as number, stdout, stderr };
  }

  it("makes what a file says, then finds nothing to change", async () => {
    const dry = await vigil(["apply", "-f", file, "--dry-run"]);
    expect(dry.code).toBe(3);
    expect(dry.stdout.trim().split("\n")).toEqual([
      ...["+ status_pages.shop", "+ groups.core", "+ monitors.front", "+ monitors.nightly", "+ monitors.everything"],
      "+ webhooks.ops",
    ]);
    expect(JSON.parse((await vigil(["monitors", "--json"])).stdout)).toEqual([]);

    expect(await vigil(["apply", "-f", file])).toMatchObject({ code: 0, stdout: dry.stdout });
    const again = await vigil(["apply", "-f", file, "--dry-run"]);
    expect(again).toMatchObject({ code: 0, stdout: "", stderr: "nothing to change\n" });

    const monitors = JSON.parse((await vigil(["monitors", "--json"])).stdout) as Record<string, unknown>[];
    const byKey = new Map(monitors.map((monitor) => [monitor.external_key, monitor]));
    expect(byKey.get("front")).toMatchObject({ name: "Front page", interval: 300, status: "paused" });
    const members = ["nightly", "front"].map((key) => byKey.get(key)?.id).sort();
    expect((byKey.get("everything")?.child_ids as string[]).toSorted()).toEqual(members);
  });

  it("changes what differs and nothing else, and removes with --prune only what a file once made", async () => {
    await vigil(["apply", "-f", file]);
    const api = (path: string, body: object) =>
      fetch(`${service.url}/api/uptime/v1${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    expect((await api("/monitors", { name: "By hand", type: "heartbeat" })).status).toBe(201);
    const changed = join(dir, "changed.yaml");
    writeFileSync(
      changed,
      MANIFEST.replace("interval: 300", "interval: 600")
        .replace("children: [nightly, front]", "children: [front]")
        .replace(/ {2}nightly.*\n/, ""),
    );
    const pruned = await vigil(["apply", "-f", changed, "--prune", "--json"]);
    expect(JSON.parse(pruned.stdout)).toEqual([
      { action: "update", kind: "monitors", key: "front", fields: ["interval"] },
      { action: "update", kind: "monitors", key: "everything", fields: ["child_ids"] },
      { action: "delete", kind: "monitors", key: "nightly", fields: [] },
    ]);
    const names = (await vigil(["monitors"])).stdout;
    expect(names).toContain("By hand");
    expect(names).not.toContain("nightly");
    expect(await vigil(["apply", "-f", file])).toMatchObject({ code: 0 });
  });

  it("shows how the service differs from a file, without credentials, and changes nothing", async () => {
    await vigil(["apply", "-f", file]);
    expect(await vigil(["diff", "-f", file])).toMatchObject({ code: 0, stderr: "nothing to change\n" });
    const changed = join(dir, "differs.yaml");
    writeFileSync(changed, MANIFEST.replace("interval: 300", "interval: 600").replace("Bearer", "Basic"));
    const { code, stdout } = await vigil(["diff", "-f", changed]);
    expect([code, stdout.split("\n")[0]]).toEqual([3, "~ monitors.front: interval 300 → 600, http_headers differs"]);
    expect(stdout).not.toContain(SECRETS.SHOP_TOKEN);
    const markdown = (await vigil(["diff", "-f", changed, "--markdown"])).stdout;
    expect(markdown).toMatch(/^### Vigil: 1 change\n/);
    expect(markdown).toContain("| Change | `monitors.front` | `interval` `300` → `600`, `http_headers` differs |");
    expect((await vigil(["diff", "-f", changed])).stdout).toBe(stdout);
  });

  it("plans and applies in pipelines of GitHub and GitLab", async () => {
    await vigil(["apply", "-f", file]);
    const workflow = temporaryDir();
    const changed = join(workflow, "pipeline.yaml");
    writeFileSync(changed, MANIFEST.replace("interval: 300", "interval: 900"));
    const script = join(PROJECT_ROOT, "packaging/github-action/run.sh");
    const common = {
      ...process.env,
      ...SECRETS,
      VIGIL_URL: service.url,
      VIGIL_TOKEN: service.token,
      VIGIL_FILE: changed,
      NODE_COMPILE_CACHE,
    };
    const github = async (command: string) => {
      const outputs = { GITHUB_STEP_SUMMARY: join(workflow, "summary"), GITHUB_OUTPUT: join(workflow, "output") };
      const inputs = { VIGIL: "node src/cli/main.ts", VIGIL_COMMAND: command, VIGIL_PRUNE: "false" };
      const env = { ...common, ...outputs, ...inputs, RUNNER_TEMP: workflow };
      await promisify(execFile)(script, [], { cwd: PROJECT_ROOT, env });
      return readFileSync(outputs.GITHUB_OUTPUT, "utf8").trim().split("\n").at(-1);
    };
    const { "vigil-plan": plan } = parse(readFileSync(join(PROJECT_ROOT, "packaging/gitlab-ci.yml"), "utf8"));
    const gitlab = async () => {
      const lines = (plan.script as string[]).join("\n").replaceAll("vigil.mjs", join(PROJECT_ROOT, "src/cli/main.ts"));
      const child = spawn("bash", ["-ec", lines], { cwd: workflow, env: { ...common, VIGIL_OPTIONS: "" } });
      const printed = await text(child.stdout);
      return [child.exitCode ?? (await once(child, "close"))[0], printed.split("\n")[0]];
    };
    expect(await github("diff")).toBe("changes=true");
    expect(readFileSync(join(workflow, "summary"), "utf8")).toContain("`interval` `300` → `900`");
    expect(await gitlab()).toEqual([plan.allow_failure.exit_codes[0], "### Vigil: 1 change"]);
    expect(await github("apply")).toBe("changes=false");
    expect(await github("diff")).toBe("changes=false");
    expect(await gitlab()).toEqual([0, "### Vigil: no changes"]);
    await vigil(["apply", "-f", file]);
  });

  it("exports a file that describes what is there", async () => {
    await vigil(["apply", "-f", file]);
    const exported = join(dir, "exported.yaml");
    writeFileSync(exported, (await vigil(["export"])).stdout);
    const manifest = parse(readFileSync(exported, "utf8"));
    expect(manifest.monitors.everything.children.toSorted()).toEqual(["front", "nightly"]);
    expect(manifest.status_pages.shop).toMatchObject({ name: "Shop status", timezone: "Europe/Berlin" });
    const { code, stdout } = await vigil(["apply", "-f", exported, "--dry-run"]);
    // What people made has no key yet; the file gives it one.
    expect(stdout.split("\n").filter((line) => line && !line.includes("by-hand"))).toEqual([]);
    expect([0, 3]).toContain(code);
  });

  it("says where a file is wrong, before anything is changed", async () => {
    const cases: [string, RegExp][] = [
      ["version: 2", /line 1: version/],
      ["version: 1\nmonitors:\n  a:\n    type: nonsense\n", /line 4: monitors\.a\.type/],
      ["version: 1\nmonitors:\n  a: { type: http, status_page: nowhere }\n", /no page nowhere/],
      ["version: 1\nmonitors:\n  a: { type: composite, children: [b] }\n", /no monitor b/],
      ["version: 1\nmonitors:\n  a: { type: http, target: '$" + "{NOTHING}' }\n", /no NOTHING/],
      ["version: 1\nmonitors:\n  a: [\n", /line \d+: /],
      ["version: 1\nmonitor: {}\n", /monitor/],
    ];
    for (const [content, reason] of cases) {
      const wrong = join(dir, "wrong.yaml");
      writeFileSync(wrong, content);
      const { code, stdout, stderr } = await vigil(["apply", "-f", wrong]);
      expect([code, stdout, stderr], content).toEqual([1, "", expect.stringMatching(reason)]);
    }
  });

  it("prints what the service refuses in its own words", async () => {
    const refused = join(dir, "refused.yaml");
    writeFileSync(refused, "version: 1\nmonitors:\n  a: { type: http, target: 'http://a.example', interval: 5 }\n");
    const { code, stderr } = await vigil(["apply", "-f", refused]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/POST \/api\/uptime\/v1\/monitors: 400 .*interval/)]);
  });

  it("logs in with a token from standard input, and keeps it where nobody else reads", async () => {
    const unset = { VIGIL_URL: undefined, VIGIL_TOKEN: undefined } as unknown as Record<string, string>;
    expect(await vigil(["status"], { env: unset })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/not logged in/),
    });
    const login = ["login", "--url", `${service.url}/`];
    expect(await vigil(login, { env: unset, input: "sk_svc_wrong\n" })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/401/),
    });
    expect(await vigil(login, { env: unset, input: `${service.token}\n` })).toMatchObject({ code: 0 });
    expect(statSync(join(dir, "vigil/session.json")).mode & 0o777).toBe(0o600);
    expect((await vigil(["monitors"], { env: unset })).code).toBe(0);
    const elsewhere = { ...unset, VIGIL_URL: "https://elsewhere.example" };
    expect(await vigil(["monitors"], { env: elsewhere })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/not logged in/),
    });
  });

  it("opens incidents, prints the status and looks for trouble", async () => {
    await vigil(["apply", "-f", file]);
    const opened = await vigil(["incidents", "new", "--page", "shop", "--title", "Slow", "--severity", "major"]);
    expect(opened).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[0-9a-f-]{36}\n$/) });
    expect(await vigil(["status"])).toMatchObject({ stdout: expect.stringMatching(/1 open incidents/) });
    expect(JSON.parse((await vigil(["status", "--json"])).stdout)).toMatchObject({ incidents: { open: 1 } });
    const { code, stdout: findings } = await vigil(["doctor"]);
    for (const subject of ["database", "markers", "clock", "dns", "settings", "mail", "alarms"]) {
      expect(findings).toMatch(new RegExp(`^ok {3}${subject}: `, "m"));
    }
    expect(code).toBe(0);
  });

  it("says who is on call", async () => {
    await vigil(["apply", "-f", file]);
    expect(await vigil(["on-call", "now"])).toMatchObject({ code: 3, stdout: "", stderr: "nobody is on call\n" });
    const api = async (method: string, path: string, body?: object) => {
      const headers = { authorization: `Bearer ${service.token}`, "content-type": "application/json" };
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      return (await fetch(`${service.url}/api${path}`, init)).json() as Promise<Record<string, string>>;
    };
    const [page] = (await api("GET", "/uptime/v1/status-pages")) as unknown as { id: string }[];
    const me = await api("GET", "/core/v1/auth/me");
    const shifts = [{ user_id: me.id, start_at: "2026-01-01T00:00:00Z", end_at: "2999-01-01T00:00:00Z" }];
    const at = `/uptime/v1/status-pages/${page?.id}/on-call`;
    const schedule = await api("POST", `${at}/schedules`, { name: "Night", shifts });
    const steps = [{ level: 1, contacts: [{ type: "schedule", value: schedule.id }] }];
    await api("POST", `${at}/policies`, { name: "Everything", is_default: true, steps });
    const { code, stdout, stderr } = await vigil(["on-call", "now", "--page", "shop"]);
    expect([code, stdout], stderr).toEqual([0, expect.stringMatching(/^shop\tNight\towner@localhost\t/)]);
  });

  it("makes in one account what the export of another one holds, once however often it is repeated", async () => {
    await vigil(["apply", "-f", file]);
    await vigil(["incidents", "new", "--page", "shop", "--title", "Moved along", "--severity", "major"]);
    const headers = { authorization: `Bearer ${service.token}` };
    const [front] = JSON.parse((await vigil(["monitors", "--json"])).stdout) as {
      id: string;
      status_page_id: string;
    }[];
    const planned = await fetch(`${service.url}/api/uptime/v1/maintenance`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({
        title: "New disks",
        status_page_id: front?.status_page_id,
        start_time: "2031-01-01T00:00:00Z",
        end_time: "2031-01-01T01:00:00Z",
        targets: [{ target_type: "monitor", target_id: front?.id }],
      }),
    });
    expect(planned.status).toBe(201);
    const exported = await (await fetch(`${service.url}/api/core/v1/user/export`, { headers })).text();
    const copy = join(dir, "account.json");
    // Slugs are unique in an installation, and both accounts are of this one.
    writeFileSync(copy, exported.replace(/"slug":"([a-z-]+)"/g, '"slug":"$1-two"'));
    const other = await issueToken(service.execute, { email: "other@mail.example" });
    const asOther = (args: string[]) => vigil(args, { env: { VIGIL_TOKEN: other } });
    const first = await asOther(["import", "account", copy, "--json"]);
    expect(first.code, first.stderr).toBe(3);
    const { made, left } = JSON.parse(first.stdout);
    const own = JSON.parse(exported);
    for (const kind of ["status_pages", "groups", "monitors", "incidents", "webhooks"]) {
      expect([kind, made[kind]]).toEqual([kind, own[kind].length]);
    }
    expect(left.map(({ reason }: { reason: string }) => reason)).toContain("its secret is not exported: set it anew");
    const before = (await asOther(["monitors", "--json"])).stdout;
    const asked = { headers: { authorization: `Bearer ${other}` } };
    const windows = (await (await fetch(`${service.url}/api/uptime/v1/maintenance`, asked)).json()) as unknown[];
    expect(windows).toMatchObject([{ title: "New disks", targets: [{ target_type: "monitor" }] }]);
    const everything = JSON.parse(before).find(({ name }: { name: string }) => name === "everything");
    expect(everything.child_ids).toHaveLength(2);
    await asOther(["import", "account", copy]);
    expect(JSON.parse((await asOther(["monitors", "--json"])).stdout)).toHaveLength(JSON.parse(before).length);
    expect(JSON.parse((await asOther(["status", "--json"])).stdout).incidents.open).toBe(
      own.incidents.filter(({ status }: { status: string }) => status !== "resolved").length,
    );
    const wrong = await asOther(["import", "account", file]);
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringMatching(/no export of an account/) });
  });

  it("is one file that runs anywhere", async () => {
    await promisify(execFile)(process.execPath, ["scripts/cli.ts"], { cwd: PROJECT_ROOT });
    const copy = join(temporaryDir(), "vigil.mjs");
    copyFileSync(join(PROJECT_ROOT, "dist/vigil.mjs"), copy);
    const env = { PATH: process.env.PATH, VIGIL_URL: service.url, VIGIL_TOKEN: service.token };
    const { stdout } = await promisify(execFile)(process.execPath, [copy, "monitors", "--json"], { cwd: dir, env });
    expect(JSON.parse(stdout)).toEqual(JSON.parse((await vigil(["monitors", "--json"])).stdout));
  });

  it.each([
    [[]],
    [["apply"]],
    [["import", "nagios", "x"]],
    [["monitors", "--status", "dwon"]],
  ])("shows how it is used for %j", async (args) => {
    expect(await vigil(args)).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/usage: npm run --silent vigil/),
    });
  });

  it("takes over what another tool watched: its file becomes one that the service accepts", async () => {
    const kuma = join(dir, "kuma.db");
    writeUptimeKuma(kuma, "2.x");
    const gatus = join(dir, "gatus.yaml");
    writeFileSync(gatus, GATUS);
    for (const [tool, source] of [
      ["uptime-kuma", kuma],
      ["gatus", gatus],
    ] as const) {
      const preview = await vigil(["import", tool, source]);
      expect(preview).toMatchObject({ code: 3, stdout: expect.stringMatching(/^comes:\n[\s\S]*\nstays behind:\n/) });
      expect(preview.stderr).toContain("nothing is made yet");
      expect(preview.stdout).not.toContain("hot-potato");
      const target = join(dir, `of-${tool}.yaml`);
      const imported = await vigil(["import", tool, source, "-o", target]);
      expect(imported).toMatchObject({
        code: 3,
        stdout: "",
        stderr: expect.stringMatching(/plan it anew|needs an agent/),
      });
      const again = await vigil(["import", tool, source, "-o", target]);
      expect(again).toMatchObject({ code: 1, stderr: expect.stringMatching(/^EEXIST.*\n$/) });
      const { code, stderr } = await vigil(["apply", "-f", target]);
      expect([code, stderr]).toEqual([0, expect.stringMatching(/^\d+ changes made/)]);
      expect(await vigil(["apply", "-f", target, "--dry-run"])).toMatchObject({ code: 0, stdout: "" });
    }
  });

  it("moves in from another tool at once, and later brings only what is new", async () => {
    const source = join(dir, "healthchecks.json");
    const { checks } = JSON.parse(HEALTHCHECKS) as { checks: { uuid: string; name: string }[] };
    writeFileSync(source, JSON.stringify({ checks: checks.slice(1) }));
    const first = await vigil(["import", "healthchecks", source, "--apply"]);
    expect(first).toMatchObject({ code: 3, stdout: "+ monitors.healthchecks-sync\n+ monitors.healthchecks-report\n" });
    expect(first.stderr).toContain("2 made, 0 refused, 0 were here");
    writeFileSync(source, HEALTHCHECKS);
    const later = await vigil(["import", "healthchecks", source, "--apply"]);
    const lines = [
      "+ monitors.healthchecks-nightly-dump",
      "= monitors.healthchecks-sync",
      "= monitors.healthchecks-report",
    ];
    expect(later).toMatchObject({ code: 3, stdout: `${lines.join("\n")}\n` });
    expect(later.stderr).toContain("1 made, 0 refused, 2 were here");
    // One import at a time, the newest first.
    for (const [taken, left] of [
      [1, 2],
      [2, 0],
    ]) {
      const undone = await vigil(["import", "undo"]);
      expect(undone).toMatchObject({ code: 0, stderr: `${taken} things of healthchecks taken back, 0 stay\n` });
      const monitors = JSON.parse((await vigil(["monitors", "--json"])).stdout) as { external_key: string | null }[];
      expect(monitors.filter(({ external_key }) => external_key?.startsWith("healthchecks-"))).toHaveLength(left ?? 0);
    }
    const nothing = await vigil(["import", "undo"]);
    expect(nothing).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^nothing was imported to .* within a day/),
    });
  });

  it("invites who is on call in another tool, and makes their schedules once they have accepted", async () => {
    await vigil(["apply", "-f", file]);
    const source = join(dir, "pagerduty.json");
    writeFileSync(
      source,
      PAGERDUTY.replaceAll("Ann@shop.example", "owner@localhost").replaceAll('"Night"', '"Nights"'),
    );
    const preview = await vigil(["import", "pagerduty", source]);
    expect(preview).toMatchObject({ code: 3, stdout: expect.stringContaining('invitation "bob@shop.example"') });
    expect(await vigil(["import", "pagerduty", source, "--apply"])).toMatchObject({ code: 2 });

    const apply = ["import", "pagerduty", source, "--apply", "--page", "shop"];
    const first = await vigil(apply);
    expect(first.stdout).toContain('+ invitation "bob@shop.example"');
    expect(first.stdout).toContain('! schedule "Week": it waits for bob@shop.example to accept');
    expect(first.stdout).not.toContain('invitation "owner@localhost"');
    expect((await vigil(["import", "undo"])).stderr).toBe("1 things of pagerduty taken back, 0 stay\n");

    const call = async (method: string, path: string, body?: object) => {
      const headers = { authorization: `Bearer ${service.token}`, "content-type": "application/json" };
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      return (await fetch(`${service.url}/api/uptime/v1${path}`, init)).json() as Promise<Record<string, unknown>[]>;
    };
    const page = (await call("GET", "/status-pages")).find(({ slug }) => slug === "shop");
    expect(await call("GET", `/status-pages/${page?.id}/members`)).toEqual([]);
    await call("POST", `/status-pages/${page?.id}/members`, {
      email: "bob@shop.example",
      role: "editor",
      name: "Bob",
      password: "a long enough password 1",
      confirmed: true,
    });
    const later = await vigil(apply);
    const lines = ['+ schedule "Week"', '+ schedule "Nights"', '+ policy "Default"'];
    expect(later, later.stderr).toMatchObject({ code: 3, stdout: `${lines.join("\n")}\n` });
    const [policy] = (await call("GET", `/status-pages/${page?.id}/on-call/policies`)).filter(
      ({ name }) => name === "Default",
    );
    expect(policy).toMatchObject({
      repeat_count: 2,
      steps: [{ contacts: [{ type: "schedule" }] }, { wait_minutes: 15, contacts: [{ type: "user" }] }],
    });
    expect(await vigil(apply)).toMatchObject({ stdout: "" });
    expect((await vigil(["import", "undo"])).stderr).toBe("3 things of pagerduty taken back, 0 stay\n");
  });

  it("publishes the schema of its file", async () => {
    const published = readFileSync(join(PROJECT_ROOT, "docs/vigil.schema.json"), "utf8");
    expect(JSON.parse(published)).toEqual(manifestSchema());
    expect(JSON.parse((await vigil(["schema"])).stdout)).toEqual(JSON.parse(published));
  });
});
