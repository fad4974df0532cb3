import { describe, expect, it } from "vitest";
import { IoFault, type IoFaultKind } from "../lib/io-fault.ts";
import { classifyError, syntheticFailure } from "./faults.ts";

const LIVE = new AbortController().signal;
const nodeError = (code: string) => Object.assign(new Error("connect failed"), { code });
const fetchFailed = (cause: unknown) => new TypeError("fetch failed", { cause });

describe("reading a failed exchange", () => {
  it.each<[name: string, error: unknown, cause: string, message: string]>([
    ["refused, Node", nodeError("ECONNREFUSED"), "connect", "connection refused"],
    ["refused, Node's fetch", fetchFailed(nodeError("ECONNREFUSED")), "connect", "connection refused"],
    [
      "refused on all addresses",
      fetchFailed(new AggregateError([nodeError("ECONNREFUSED")])),
      "connect",
      "connection refused",
    ],
    [
      "refused, Workers socket",
      new Error("proxy request failed, cannot connect to the specified address"),
      "connect",
      "connection refused",
    ],
    ["lost, Workers", new Error("Network connection lost."), "connect", "connection lost"],
    ["reset", nodeError("ECONNRESET"), "connect", "connection lost"],
    ["no route", nodeError("EHOSTUNREACH"), "connect", "host is not reachable"],
    ["unknown name", fetchFailed(nodeError("ENOTFOUND")), "dns", "the name does not resolve"],
    ["system's connect time-out", nodeError("ETIMEDOUT"), "timeout", "timed out"],
    ["expired certificate", fetchFailed(nodeError("CERT_HAS_EXPIRED")), "tls", "certificate has expired"],
    ["wrong host", nodeError("ERR_TLS_CERT_ALTNAME_INVALID"), "tls", "certificate is for another host name"],
    ["self-signed", nodeError("DEPTH_ZERO_SELF_SIGNED_CERT"), "tls", "certificate is not trusted"],
    ["unknown issuer", nodeError("UNABLE_TO_VERIFY_LEAF_SIGNATURE"), "tls", "certificate is not trusted"],
    ["no TLS", nodeError("EPROTO"), "tls", "TLS handshake failed"],
    ["garbage", nodeError("HPE_INVALID_CONSTANT"), "protocol", "the answer is not valid HTTP"],
    ["opaque, Workers", new Error("internal error; reference = abc"), "connect", "connection failed"],
    ["opaque, fetch", new TypeError("fetch failed"), "connect", "connection failed"],
  ])("%s", (_name, error, cause, message) => {
    expect(classifyError(error, LIVE, 0)).toEqual({ outcome: "failure", cause, message });
  });

  it.each<[IoFaultKind, object]>([
    ["dns", { outcome: "failure", cause: "dns" }],
    ["connect", { outcome: "failure", cause: "connect" }],
    ["tls", { outcome: "failure", cause: "tls" }],
    ["protocol", { outcome: "failure", cause: "protocol" }],
    ["forbidden", { outcome: "error" }],
    ["unsupported", { outcome: "error" }],
    ["unavailable", { outcome: "error" }],
  ])("an adapter's %s fault keeps its words", (kind, expected) => {
    expect(classifyError(new IoFault(kind, "why"), LIVE, 0)).toEqual({ ...expected, message: "why" });
  });

  it("is a time-out once the signal has fired, regardless of the error that was thrown", () => {
    const fired = AbortSignal.abort();
    expect(classifyError(new Error("aborted"), fired, 10_003)).toEqual({
      outcome: "failure",
      cause: "timeout",
      message: "timed out after 10 s",
    });
    expect(classifyError(nodeError("ECONNRESET"), fired, 1500).message).toBe("timed out after 1.5 s");
  });

  it("blames us when our own name servers were silent until the time was up", () => {
    const fault = new IoFault("unavailable", "no DNS resolver is reachable");
    expect(classifyError(fault, AbortSignal.abort(), 10_000).outcome).toBe("error");
  });

  it.each([
    new Error("Too many subrequests."),
    new RangeError("bug"),
    "text",
    undefined,
  ])("blames us for %s", (error) => {
    expect(classifyError(error, LIVE, 0)).toEqual({ outcome: "error", message: "the check itself failed" });
  });
});

describe("an answer that Cloudflare's network made up", () => {
  const cloudflare = new Headers({ server: "cloudflare" });

  it.each([
    [520, "protocol"],
    [521, "connect"],
    [522, "timeout"],
    [523, "connect"],
    [524, "timeout"],
    [525, "tls"],
    [526, "tls"],
    [527, "connect"],
    [530, "dns"],
  ])("%i stands for %s", (status, cause) => {
    expect(syntheticFailure(status, cloudflare)).toMatchObject({ outcome: "failure", cause });
  });

  it("is distinguished from the same status of another server, and from other statuses", () => {
    expect(syntheticFailure(521, new Headers({ server: "nginx" }))).toBeNull();
    expect(syntheticFailure(521, new Headers())).toBeNull();
    expect(syntheticFailure(503, cloudflare)).toBeNull();
  });
});
