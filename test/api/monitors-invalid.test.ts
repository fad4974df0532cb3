import { describe, expect, it } from "vitest";
import { enrollAgent } from "../support/agents.ts";
import { V1 } from "../support/client.ts";
import { createAccount, createMonitor } from "../support/factories.ts";

const HTTP = { name: "x", type: "http", target: "http://a.example" };
const BEAT = { name: "x", type: "heartbeat" };
const UUID = "00000000-0000-4000-8000-000000000000";
const DENIED = [
  "Host",
  "content-length",
  "TRANSFER-ENCODING",
  "Connection",
  "Upgrade",
  "te",
  "CF-Ray",
  "x-forwarded-for",
];

type Row = [name: string, body: unknown, path: string];
const http = (name: string, fields: object, path = Object.keys(fields)[0] ?? ""): Row => [
  name,
  { ...HTTP, ...fields },
  path,
];
const beat = (name: string, fields: object, path = Object.keys(fields)[0] ?? ""): Row => [
  name,
  { ...BEAT, ...fields },
  path,
];
const target = (type: string, text: unknown): Row => [
  `${type} with target ${text}`,
  { name: "x", type, target: text },
  "target",
];

const INVALID: Row[] = [
  ["a list", [], ""],
  ["text", '"x"', ""],
  ["null", "null", ""],
  ["nothing", {}, "name"],
  ["no type", { name: "x" }, "type"],
  ["no name", { type: "http", target: "http://a.example" }, "name"],
  http("an empty name", { name: " " }),
  http("a long name", { name: "x".repeat(201) }),
  http("a name of the wrong type", { name: 5 }),
  http("a name that is null", { name: null }),
  http("an unknown type", { type: "gopher" }),
  http("a type that is null", { type: null }),
  http("no target", { target: undefined }),
  http("a target that is null", { target: null }),
  http("an empty target", { target: " " }),
  http("a target of the wrong type", { target: {} }),
  http("a long target", { target: `http://a.example/${"x".repeat(2048)}` }),
  ...["http://", "ftp://a.example", "http://a b", "https://a.example:99999", "javascript:alert(1)"].map((text) =>
    target("http", text),
  ),
  ...["http://a.example", "https://"].map((text) => target("https", text)),
  ...["a.example", "a.example:0", "a.example:65536", "a.example:x", ":80", "a.example:25"].map((text) =>
    target("tcp", text),
  ),
  // Private, internal or not global, in every spelling that means the same.
  ...["10.0.0.1", "192.168.1.1", "172.16.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1"].map((host) =>
    target("http", `http://${host}/`),
  ),
  ...["[::1]", "[::ffff:10.0.0.1]", "[fd00::1]", "[fe80::1]", "[64:ff9b::a00:1]"].map((host) =>
    target("http", `http://${host}/`),
  ),
  ...["0xa.1", "167772161", "012.0.0.1", "intranet", "db.local", "x.internal", "a.localhost"].map((host) =>
    target("http", `http://${host}/`),
  ),
  target("http", "http://user@a.example/"),
  target("tcp", "10.0.0.1:22"),
  target("postgres", "postgres://u:p@10.0.0.1:5432/db"),
  target("redis", "redis.internal:6379"),
  target("smtp", "a.example:25"),
  http("an interval below 10 s", { interval: 9 }),
  http("an interval over a day", { interval: 86_401 }),
  http("a broken interval", { interval: 60.5 }),
  http("an interval as text", { interval: "60" }),
  http("a timeout of 0", { timeout_seconds: 0 }),
  http("a timeout over 30 s", { timeout_seconds: 31 }),
  http("a timeout longer than the interval", { timeout_seconds: 20, interval: 10 }),
  http("a failure threshold of 0", { failure_threshold: 0 }),
  http("a failure threshold over 20", { failure_threshold: 21 }),
  http("a recovery threshold of 0", { recovery_threshold: 0 }),
  http("a recovery threshold over 20", { recovery_threshold: 21 }),
  http("a retry interval below 5 s", { retry_interval: 4 }),
  http("a retry interval over 300 s", { retry_interval: 301 }),
  http("a latency threshold of 0", { latency_threshold_ms: 0 }),
  http("an unknown region", { regions: ["mars"] }, "regions[0]"),
  http("regions as text", { regions: "weur" }),
  http("an unknown region policy", { region_policy: "some" }),
  http("a policy of no location", { region_policy: "at_least:0" }),
  http("a policy of more locations than one monitor has at most", { region_policy: "at_least:11" }),
  http("a policy of two locations for one", { region_policy: "at_least:2" }),
  http("a policy of three locations for two", { region_policy: "at_least:3", regions: ["weur", "enam"] }),
  http("an unknown severity", { incident_severity: "huge" }),
  http("an automatic incident as text", { auto_create_incident: "yes" }),
  http("a pause as text", { paused: "yes" }),
  http("a malformed page", { status_page_id: "x" }),
  http("a page that is not there", { status_page_id: UUID }),
  http("a group that is not there", { group_id: UUID }),
  http("an agent that is not there", { agent_id: UUID }),
  http("tags as text", { tags: "a,b" }),
  http("an empty tag", { tags: [""] }, "tags[0]"),
  http("too many tags", { tags: Array.from({ length: 51 }, (_, n) => `t${n}`) }),
  http("an empty external key", { external_key: "" }),
  http("a long external key", { external_key: "x".repeat(201) }),
  http("members on what is no composite", { child_ids: [UUID] }, "child_ids[0]"),
  http("an unknown method", { http_method: "BREW" }),
  http("a body for GET", { http_body: "x" }),
  http("a body for HEAD", { http_body: "x", http_method: "HEAD" }),
  http("an expected body for HEAD", { expected_body: "x", http_method: "HEAD" }),
  http("a body over 64 KiB", { http_body: "x".repeat(65_537), http_method: "POST" }),
  http("a status below 100", { expected_status: 99 }),
  http("a status over 599", { expected_status: 600 }),
  http("a status range backwards", { expected_statuses: ["299-200"] }, "expected_statuses[0]"),
  http("a status that is none", { expected_statuses: ["2xx"] }, "expected_statuses[0]"),
  http("an unknown kind of match", { expected_body_match_type: "like" }),
  http("a broken pattern", { expected_body: "(", expected_body_match_type: "regex" }),
  http("a pattern with a look-ahead", { expected_body: "(?=a)b", expected_body_match_type: "regex" }),
  http("a pattern with a back reference", { expected_body: "(a)\\1", expected_body_match_type: "regex" }),
  http("redirects as text", { follow_redirects: "no" }),
  http("verify_ssl as a number", { verify_ssl: 1 }),
  [
    "smtps without verify_ssl, which only an agent can do",
    { name: "x", type: "smtp", target: "smtps://mail.example", verify_ssl: false },
    "verify_ssl",
  ],
  http("headers as a list", { http_headers: ["a: b"] }),
  http("headers that are no lines", { http_headers: "no colon here" }),
  http("a header name with a space", { http_headers: "a b: c" }),
  http("a header value with a control character", { http_headers: JSON.stringify({ a: "b\u0000c" }) }),
  http("a header that injects another", { http_headers: JSON.stringify({ a: "b\r\nHost: x" }) }),
  http("headers over 4 KiB", { http_headers: `a: ${"x".repeat(4096)}` }),
  http("more than 20 headers", { http_headers: Array.from({ length: 21 }, (_, n) => `h${n}: x`).join("\n") }),
  http("a masked header that was never stored", { http_headers: JSON.stringify({ Authorization: "***" }) }),
  ...DENIED.map((name) => http(`the header ${name}`, { http_headers: `${name}: x` })),
  beat("a beat more often than every 10 s", { expected_interval: 9 }),
  beat("a beat less often than daily", { expected_interval: 86_401 }),
  beat("a negative grace", { grace_seconds: -1 }),
  beat("a grace over a day", { grace_seconds: 86_401 }),
  beat("a stale-after of 0", { degraded_timeout_seconds: 0 }),
  ...["* * * *", "* * * * * *", "@reboot", "60 * * * *", "nonsense", "0 0 31 2 *"].map((text) =>
    beat(`the schedule ${text}`, { schedule: text }),
  ),
  beat("an unknown timezone", { timezone: "Mars/Olympus", schedule: "* * * * *" }),
  ["an unknown game", { name: "x", type: "game_server", game_type: "chess", query_method: "push" }, "game_type"],
  ["an unknown query method", { name: "x", type: "game_server", query_method: "telepathy" }, "query_method"],
  ["a query port of 0", { name: "x", type: "game_server", query_method: "push", query_port: 0 }, "query_port"],
  [
    "a query over UDP from the edge",
    { name: "x", type: "game_server", game_type: "rust", target: "a.example:1" },
    "agent_id",
  ],
  ["members that are no ids", { name: "x", type: "composite", child_ids: ["x"] }, "child_ids[0]"],
  ["a member that is not there", { name: "x", type: "composite", child_ids: [UUID] }, "child_ids[0]"],
  ["51 members", { name: "x", type: "composite", child_ids: Array(51).fill("x") }, "child_ids"],
];

/** Where the answer says the trouble is; details are absent where the sentence names its field itself. */
function namedPlace(body: { error: string; details?: { path: string }[] }): string {
  return body.details?.[0]?.path ?? body.error.split(" ")[0] ?? "";
}

describe("POST /monitors", () => {
  it.each(INVALID)("refuses %s and writes nothing", async (_name, body, path) => {
    const { client } = await createAccount();
    const answer = await client.post(`${V1}/monitors`, body);
    expect(answer.status).toBe(400);
    if (path !== "")
      expect(
        answer.body.details?.map((detail: { path: string }) => detail.path) ?? [namedPlace(answer.body)],
      ).toContain(path);
    expect((await client.get(`${V1}/monitors`)).body).toEqual([]);
  });

  it("covers at least 80 mistakes", () => {
    expect(new Set(INVALID.map(([name]) => name)).size).toBeGreaterThanOrEqual(80);
  });
});

describe("PUT /monitors/{id}", () => {
  // The same rules judge both; these rows are the ones whose lack would open a way around the first judgement.
  const UPDATES = INVALID.filter(([, body, path]) => {
    return (body as { type?: string }).type === "http" && ["target", "http_headers"].includes(path);
  }).filter(([name]) => name !== "no target");

  it.each(UPDATES)("refuses %s and changes nothing", async (_name, body) => {
    const { client } = await createAccount();
    const before = await createMonitor(client, { name: "Before" });
    expect((await client.put(`${V1}/monitors/${before.id}`, body)).status).toBe(400);
    expect((await client.get(`${V1}/monitors/${before.id}`)).body).toEqual(before);
  });

  it("refuses settings that disagree with what is stored", async () => {
    const { client } = await createAccount();
    const { id } = await createMonitor(client, { interval: 30, timeout_seconds: 20 });
    expect(await client.put(`${V1}/monitors/${id}`, { interval: 10 })).toMatchObject({
      status: 400,
      body: { error: "timeout_seconds must not be longer than interval" },
    });
    expect((await client.put(`${V1}/monitors/${id}`, { target: null })).status).toBe(400);
  });
});

describe("the target of a monitor that an agent runs", () => {
  it.each([
    ["icmp", "10.0.0.5/24", "10.0.0.5"],
    ["ping", "-f", "db.lan"],
    ["udp", "10.0.0.5", "10.0.0.5:514"],
    ["docker", "ftp://10.0.0.5", "unix:///var/run/docker.sock"],
    ["podman", "ftp://10.0.0.5", "tcp://10.0.0.5:2375"],
    ["docker_swarm", "unix://", "https://10.0.0.5"],
    ["kubernetes", "ftp://10.0.0.5", "https://10.0.0.5:6443"],
    ["proxmox", "https://", "pve.lan"],
    ["vmware", "ssh://vcenter.lan", "https://vcenter.lan"],
    ["ceph", "ceph://elsewhere", "ceph://local"],
    ["rabbitmq", "mqtt://10.0.0.5", "amqp://10.0.0.5"],
    ["kafka", "10.0.0.5:9092,", "10.0.0.5:9092,10.0.0.6:9092"],
    ["mqtt", "10.0.0.5:0", "mqtts://10.0.0.5"],
    ["snmp", "snmp://", "snmp://public@10.0.0.5"],
    ["network_device", "10.0.0.5/x", "10.0.0.5"],
  ])("of type %s is 400 where it is %j and accepted where it is %j", async (type, wrong, right) => {
    const account = await createAccount();
    const { id: agent_id } = await enrollAgent(account);
    const post = (text: string) => account.client.post(`${V1}/monitors`, { name: "x", type, target: text, agent_id });
    expect(await post(wrong)).toMatchObject({ status: 400, body: { error: expect.stringMatching(/^target /) } });
    expect(await post(right)).toMatchObject({ status: 201 });
  });
});
