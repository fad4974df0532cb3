import { describe, expect, it } from "vitest";
import { GATUS } from "../../../test/support/other-tools.ts";
import type { ImportedMonitor } from "./draft.ts";
import { importGatus } from "./gatus.ts";

const said = (remarks: ReturnType<typeof importGatus>["remarks"]) =>
  remarks.map(({ subject, about, reason }) => `${about} ${subject}: ${reason}`);

describe("a configuration of Gatus", () => {
  const { manifest, remarks } = importGatus(GATUS);

  it("becomes monitors whose settings say what the conditions say", () => {
    expect(manifest.monitors).toEqual({
      "core.front-end": {
        name: "front-end",
        type: "https",
        target: "https://site.example/health",
        interval: 300,
        tags: ["core"],
        timeout_seconds: 5,
        certificate_days_min: 2,
        follow_redirects: false,
        failure_threshold: 5,
        recovery_threshold: 3,
        expected_statuses: [200],
        latency_threshold_ms: 150,
        json_assertions: [
          { path: "$.status", operator: "==", value: "UP" },
          { path: "$.items[0].count", operator: ">", value: 3 },
        ],
      },
      text: {
        name: "text",
        type: "http",
        target: "http://site.example/text",
        interval: 60,
        http_method: "POST",
        http_body: "{}",
        http_headers: { "Content-Type": "application/json" },
        expected_statuses: ["100-299"],
        expected_body: "welcome",
      },
      names: {
        name: "names",
        type: "dns",
        target: "site.example",
        interval: 60,
        dns_record_type: "A",
        dns_server: "8.8.8.8",
        dns_expected: ["192.0.2.7"],
      },
      port: { name: "port", type: "tcp", target: "site.example:5432", interval: 10, paused: true },
      certificate: { name: "certificate", type: "ssl", target: "site.example:443", interval: 60 },
      "core.job": { name: "job", type: "heartbeat", interval: 1800, push_token: "core_job/hot-potato", tags: ["core"] },
    });
    expect(manifest.webhooks).toEqual({
      slack: { name: "slack", provider: "slack", url: "https://hooks.slack.example/x", monitors: ["core.front-end"] },
    });
  });

  it("says what does not come, or not as it was, and why", () => {
    expect(said(remarks)).toEqual([
      expect.stringContaining('changes endpoint "front-end": "[RESPONSE_TIME] < 150": slower is degraded'),
      expect.stringContaining('changes endpoint "port": interval is 10 s here'),
      expect.stringContaining('stays endpoint "gateway": ping needs an agent'),
    ]);
  });

  it("leaves out a token that others could guess, and says so", () => {
    const job = importGatus("external-endpoints:\n  - { name: job, token: potato, heartbeat: { interval: 24h } }");
    expect(job.manifest.monitors.job).toEqual({ name: "job", type: "heartbeat", interval: 86_400 });
    expect(said(job.remarks)).toEqual([expect.stringContaining("shorter than 16 characters")]);
  });

  it.each(["endpoints: 5", "endpoints: [5]", "a: [", "- a"])("is refused when it is %j", (text) => {
    expect(() => importGatus(text)).toThrow();
  });
});

/** One endpoint, and what is said of it. */
function endpoint(settings: string, conditions: readonly string[] = []) {
  const list = conditions.map((condition) => JSON.stringify(condition)).join(", ");
  const { manifest, remarks } = importGatus(
    `endpoints:\n  - { name: one, url: "https://a.example", ${settings} conditions: [${list}] }`,
  );
  return { monitor: manifest.monitors.one as ImportedMonitor, said: said(remarks) };
}

describe("conditions of Gatus", () => {
  it("hold all at once", () => {
    expect(endpoint("", ["[STATUS] >= 200", "[STATUS] < 400", "[STATUS] != 304"]).monitor.expected_statuses).toEqual([
      "200-303",
      "305-399",
    ]);
    expect(endpoint("", ["[STATUS] == any(200, 429)"]).monitor.expected_statuses).toEqual([200, 429]);
    expect(endpoint("", ["[STATUS] == pat(2*)"]).monitor.expected_statuses).toEqual(["200-299"]);
  });

  it("without one of the status are content with every answer", () => {
    expect(endpoint("", ["[CONNECTED] == true"]).monitor.expected_statuses).toEqual(["100-599"]);
  });

  it("of the body follow each other, and name what has no place", () => {
    const found = endpoint("", ["[BODY] == pat(*one*)", "[BODY] == pat(*two*)", "[BODY] == exact"]);
    expect(found.monitor).toMatchObject({ expected_body: "one", expected_keywords: "two" });
    expect(found.said).toEqual([expect.stringContaining('"[BODY] == exact"')]);
    const any = endpoint("", ["[BODY] == any(yes, pat(ok-*))", "has([BODY].a) == true", "[BODY].b == pat(*x*)"]);
    expect(any.monitor).toMatchObject({
      expected_body: "^(?:yes|ok\\-[\\s\\S]*)$",
      expected_body_match_type: "regex",
      json_assertions: [
        { path: "$.a", operator: "exists", value: true },
        { path: "$.b", operator: "contains", value: "x" },
      ],
    });
  });

  it("of records are never patterns taken for a record", () => {
    const dns = (condition: string) =>
      importGatus(
        `endpoints:\n  - { name: one, url: 9.9.9.9, dns: { query-name: a.example, query-type: A }, conditions: ["${condition}"] }`,
      );
    expect(dns("[BODY] == any(192.0.2.1, 192.0.2.2)").manifest.monitors.one).toMatchObject({
      dns_expected: ["192.0.2.1", "192.0.2.2"],
      dns_match_type: "any",
    });
    const pattern = dns("[BODY] == pat(192.*)");
    expect(pattern.manifest.monitors.one?.dns_expected).toBeUndefined();
    expect(said(pattern.remarks)).toEqual([expect.stringContaining("pat(192.*)")]);
  });
});

describe("what Gatus knows besides", () => {
  it("reads merge keys", () => {
    const { manifest } = importGatus(`
defaults: &defaults { interval: 5m, method: POST }
endpoints:
  - { <<: *defaults, name: one, url: "https://a.example" }`);
    expect(manifest.monitors.one).toMatchObject({ interval: 300, http_method: "POST" });
  });

  it("reads as many endpoints as anybody has with one anchor", () => {
    const many = Array.from({ length: 3000 }, (_, n) => `  - { <<: *d, name: "e${n}", url: "https://a.example" }`);
    const { manifest } = importGatus(`d: &d { interval: 5m }\nendpoints:\n${many.join("\n")}`);
    expect(Object.keys(manifest.monitors)).toHaveLength(3000);
  });

  it("wraps GraphQL, and names client settings and windows that do not come", () => {
    const { monitor, said } = endpoint(
      "method: POST, body: '{ users }', graphql: true, client: { proxy-url: 'http://p', oauth2: { token-url: 'https://t', client-secret: s }, tls: { certificate-file: c } }, maintenance-windows: [{ start: '23:00' }],",
    );
    expect(monitor).toMatchObject({
      http_body: '{"query":"{ users }"}',
      http_headers: { "Content-Type": "application/json" },
    });
    expect(said).toHaveLength(1);
    for (const name of ["proxy-url", "token-url", "client-secret", "certificate-file", "maintenance-windows"]) {
      expect(said[0]).toContain(name);
    }
  });

  it("makes a journey of a suite", () => {
    const { manifest, remarks } = importGatus(`
suites:
  - name: buy
    interval: 10m
    context: { base: "https://shop.example" }
    endpoints:
      - name: sign in
        url: "[CONTEXT].base/login"
        method: POST
        body: "{}"
        conditions: ["[STATUS] == 200"]
        store: { token: "[BODY].token" }
      - name: sign out
        url: "https://shop.example/out"
        headers: { Authorization: "Bearer [CONTEXT].token" }
        always-run: true
        conditions: ["[STATUS] == 204", "[BODY].id == [CONTEXT].token"]
`);
    expect(manifest.monitors.buy).toEqual({
      name: "buy",
      type: "https",
      target: "https://shop.example",
      interval: 600,
      steps: [
        {
          name: "sign in",
          url: "https://shop.example/login",
          method: "POST",
          body: "{}",
          expected_statuses: [200],
          captures: [{ name: "token", from: "json", path: "$.token" }],
        },
        {
          name: "sign out",
          url: "https://shop.example/out",
          headers: { Authorization: "Bearer {{token}}" },
          expected_statuses: [204],
          always: true,
        },
      ],
    });
    expect(said(remarks)).toEqual([expect.stringContaining("compares with a stored value")]);
  });

  it("hears of a suite where one of its requests has an alert", () => {
    const { manifest, remarks } = importGatus(`
endpoints: [{ name: other, url: "https://other.example" }]
suites:
  - name: buy
    endpoints:
      - { name: in, url: "https://shop.example/in", alerts: [{ type: slack, failure-threshold: 3 }] }
      - { name: out, url: "https://shop.example/out", alerts: [{ type: slack }, { type: teams }] }
alerting:
  slack: { webhook-url: "https://hooks.slack.example/x" }
`);
    expect(manifest.webhooks.slack?.monitors).toEqual(["buy"]);
    expect(said(remarks)).toEqual(
      expect.arrayContaining([
        expect.stringContaining('suite "buy", "in": not taken: alerts[0].failure-threshold'),
        expect.stringContaining('alerting "teams": the file does not configure it'),
      ]),
    );
  });

  it("greets servers of SSH, and names the login that it does not use", () => {
    const { manifest, remarks } = importGatus(`
endpoints:
  - { name: host, url: "ssh://host.example", ssh: { username: me, password: pw }, conditions: ["[CONNECTED] == true", "[STATUS] == 0"] }
  - { name: far, url: "ssh://far.example:2222", ssh: { username: "", password: "" }, conditions: ["[CONNECTED] == true"] }`);
    expect(manifest.monitors.host).toMatchObject({ type: "tcp", target: "host.example:22", tcp_protocol: "ssh" });
    expect(manifest.monitors.far).toMatchObject({ target: "far.example:2222", tcp_protocol: "ssh" });
    expect(manifest.monitors.host).not.toHaveProperty("expected_statuses");
    expect(said(remarks)).toEqual([
      expect.stringContaining('"[STATUS] == 0"'),
      expect.stringContaining("ssh.username, ssh.password"),
    ]);
  });
});
