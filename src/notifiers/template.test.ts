import { describe, expect, it } from "vitest";
import { BOTS, exampleInput, httpRequest } from "../../test/support/providers.ts";
import type { ProviderConfig } from "../contract/webhook.ts";
import { findTargetFlaw } from "./fields.ts";
import type { NotifierRequest } from "./port.ts";
import { template } from "./template.ts";

const URL = "https://api.example.com/alerts";
const target = (config: ProviderConfig, url = URL) => ({
  url,
  secret: null,
  previous_secret: null,
  channel: null,
  config,
});

function build(config: ProviderConfig, event: Parameters<typeof exampleInput>[0] = {}, url = URL): NotifierRequest {
  return httpRequest(template.build({ ...exampleInput(event), timezone: "Europe/Berlin" }, target(config, url)));
}

describe("the request of a template", () => {
  it("has the values of an outage in address, headers and body", () => {
    const body =
      '{"e":"{{event}}","s":"{{status}}","t":"{{title}}","x":"{{text}}","u":"{{url}}","m":"{{monitor.name}}","i":"{{monitor.id}}","p":"{{page.name}}","at":"{{since}}","local":"{{since_local}}","n":{{#if duration}}"{{duration}}"{{else}}null{{/if}}}';
    const request = build({ method: "PUT", headers: { "X-Status": "{{status}}" }, body }, {}, `${URL}?t={{title}}`);
    expect([request.method, request.url, request.headers["x-status"], request.headers["content-type"]]).toEqual([
      "PUT",
      `${URL}?t=Shop%20is%20down`,
      "down",
      "application/json",
    ]);
    expect(JSON.parse(request.body)).toEqual({
      e: "monitor.down",
      s: "down",
      t: "Shop is down",
      x: "HTTP 500",
      u: "https://vigil.test/app/monitors/0199c0de-0000-7000-8000-000000000001",
      m: "Shop",
      i: "0199c0de-0000-7000-8000-000000000001",
      p: "Northwind",
      at: "2026-01-02T03:04:05.000Z",
      local: "2 Jan 2026, 04:04 CET",
      n: null,
    });
  });

  it("has how long an outage lasted, and the title of an incident", () => {
    const body = "{{duration}}/{{duration_seconds}}/{{incident.title}}/{{monitor.name}}";
    expect(build({ body }, { name: "monitor.up" }).body).toBe("12 minutes 34 seconds/754//Shop");
    expect(build({ body }, { name: "incident.resolved" }).body).toBe("12 minutes 34 seconds/754/Checkout fails/");
  });

  it.each<[string, ProviderConfig, string]>([
    ["JSON by its first character", { body: '{"t":"{{text}}"}' }, '{"t":"a \\"b\\" <c> &\\n\\\\"}'],
    [
      "JSON by its type",
      { headers: { "Content-Type": "application/vnd.x+json" }, body: '"{{text}}"' },
      '"a \\"b\\" <c> &\\n\\\\"',
    ],
    [
      "a form",
      { headers: { "Content-Type": "application/x-www-form-urlencoded" }, body: "t={{text}}" },
      "t=a%20%22b%22%20%3Cc%3E%20%26%0A%5C",
    ],
    [
      "XML",
      { headers: { "Content-Type": "text/xml" }, body: "<t>{{text}}</t>" },
      "<t>a &quot;b&quot; &lt;c&gt; &amp;\n\\</t>",
    ],
    ["text", { body: "{{text}}" }, 'a "b" <c> &\n\\'],
  ])("escapes values for %s", (_name, config, body) => {
    expect(build(config, { data: { message: 'a "b" <c> &\n\\' } }).body).toBe(body);
  });

  it("keeps a value within its header", () => {
    const headers = { "X-Title": "{{title}}" };
    const request = build({ headers }, { data: { monitor_name: "a\r\nb: 漢字" } });
    expect(request.headers["x-title"]).toMatch(/^[\x20-\x7e]+$/);
    expect(new Headers(request.headers).get("b")).toBeNull();
  });

  it("sends no body by GET, and a body that is JSON without one of its own", () => {
    expect(build({ method: "GET" }).body).toBe("");
    expect(JSON.parse(build({}).body)).toMatchObject({ status: "down", title: "Shop is down" });
  });

  it("keeps the values of its headers out of what is recorded", () => {
    const headers = { Authorization: "Key {{status}} s3cret", "Content-Type": "application/json" };
    expect(build({ headers }).secrets).toEqual(["Key down s3cret"]);
  });
});

describe("a template", () => {
  it.each<[string, ProviderConfig, string, string | null]>([
    ["without anything but an address", {}, URL, null],
    ["with fields behind the host", {}, "https://api.example.com/{{status}}?m={{monitor.id}}", null],
    ["without an address", {}, "", "url is required"],
    ["with a field in the host", {}, "https://{{status}}.example.com/", "url must have no fields before its path"],
    ["with an address of another kind", {}, "ftp://example.com", "url must be an https address"],
    ["with an unknown field", { body: "{{monitor.nme}}" }, URL, "config.body must not use {{monitor.nme}}"],
    ["with an unknown field in a header", { headers: { A: "{{x}}" } }, URL, "config.headers must not use {{x}}"],
    ["with an unknown field in its address", {}, `${URL}/{{x}}`, "url must not use {{x}}"],
    ["with a loop", { body: "{{#each x}}{{/each}}" }, URL, "config.body must not use {{#each x}}"],
    [
      "that is no JSON",
      { body: '{"a": {{title}}}' },
      URL,
      "config.body is not valid JSON when it is filled for monitor.down",
    ],
    [
      "that is JSON for some events only",
      { body: '{"a": {{duration_seconds}}}' },
      URL,
      "config.body is not valid JSON when it is filled for monitor.down",
    ],
    [
      "that is JSON by a condition",
      { body: '{"a": {{#if duration_seconds}}{{duration_seconds}}{{else}}0{{/if}}}' },
      URL,
      null,
    ],
    ["that is no JSON and says so", { headers: { "content-type": "text/plain" }, body: "{x" }, URL, null],
    ["with another method", { method: "TRACE" }, URL, "config.method must be one of POST, PUT, PATCH, GET, DELETE"],
    ["that is too long", { body: "x".repeat(16_385) }, URL, "config.body must have at most 16384 characters"],
  ])("%s is judged", (_name, config, url, flaw) => {
    const found = findTargetFlaw(template, { url, secret: null, config }, BOTS);
    if (flaw === null) expect(found).toBeNull();
    else expect(found).toContain(flaw);
  });
});
