import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseServiceUrl, pathsOf, reachFrom, readConfig, writeConfig } from "./config.ts";
import { UNRESTRICTED } from "./reach.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "vigil-config-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

const config = {
  url: "https://vigil.test",
  agent_id: "a",
  agent_token: "ag_x",
  name: "db-1",
  auto_update: true,
  ...UNRESTRICTED,
};

describe("the config of an agent", () => {
  it("is absent before the agent is enrolled", () => {
    expect(readConfig(dir)).toBeUndefined();
  });

  it("is for its owner alone, also when somebody opened it up", () => {
    writeConfig(dir, config);
    expect(statSync(pathsOf(dir).config).mode & 0o777).toBe(0o600);
    chmodSync(pathsOf(dir).config, 0o644);
    expect(readConfig(dir)).toMatchObject(config);
    expect(statSync(pathsOf(dir).config).mode & 0o777).toBe(0o600);
  });

  it("restricts nothing where it says nothing, and keeps what it says at a new enrolment", () => {
    const { allow: _, types: __, read_only: ___, ...old } = config;
    writeFileSync(pathsOf(dir).config, JSON.stringify(old));
    expect(readConfig(dir)).toMatchObject(UNRESTRICTED);
    writeConfig(dir, { ...config, allow: ["10.0.0.0/8"], types: ["http"], read_only: true });
    expect(reachFrom({}, dir)).toEqual({ allow: ["10.0.0.0/8"], types: ["http"], read_only: true });
    expect(reachFrom({ allow: ["fd00::/8"], types: "tcp, redis" }, dir)).toEqual({
      allow: ["fd00::/8"],
      types: ["tcp", "redis"],
      read_only: true,
    });
  });

  it.each([
    [{ allow: ["10.0.0.0/33"] }, "is not a network"],
    [{ allow: ["intranet"] }, "is not a network"],
    [{ types: "http,ftp" }, "--types ftp is no type of monitors"],
  ])("refuses %j, instead of allowing more than was meant", (given, reason) => {
    expect(() => reachFrom(given, dir)).toThrow(reason);
  });

  it("names the member that is wrong", () => {
    writeFileSync(pathsOf(dir).config, JSON.stringify({ ...config, allow: ["intranet"] }));
    expect(() => readConfig(dir)).toThrow("correct allow");
    expect(reachFrom({}, dir)).toEqual(UNRESTRICTED);
  });

  it("says what to do when it is broken", () => {
    writeFileSync(pathsOf(dir).config, "{");
    expect(() => readConfig(dir)).toThrow("enrol this agent again");
  });
});

it.each([
  ["https://status.example.com/", "https://status.example.com"],
  ["https://example.com/vigil/", "https://example.com/vigil"],
  ["http://127.0.0.1:8787", "http://127.0.0.1:8787"],
  ["http://localhost:8787", "http://localhost:8787"],
])("%s is the address of a service", (text, value) => {
  expect(parseServiceUrl(text)).toEqual({ ok: true, value });
});

it.each([
  "status.example.com",
  "http://status.example.com",
  "http://127.0.0.1.example.com",
  "ftp://127.0.0.1",
  "",
])("%s is not, because the token would be seen on the way or nothing would answer", (text) => {
  expect(parseServiceUrl(text)).toMatchObject({ ok: false });
});
