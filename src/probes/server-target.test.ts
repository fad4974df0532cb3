import { describe, expect, it } from "vitest";
import type { TlsCheck } from "../contract/tls-check.ts";
import { imapProbe } from "./imap.ts";
import { mysqlProbe } from "./mysql.ts";
import { pop3Probe } from "./pop3.ts";
import type { Probe } from "./port.ts";
import { postgresProbe } from "./postgres.ts";
import { redisProbe } from "./redis.ts";
import type { ServerTarget } from "./server-target.ts";
import { smtpProbe } from "./smtp.ts";
import { telnetProbe } from "./telnet.ts";

type ServerProbe = Probe<ServerTarget, TlsCheck>;

describe("targets of servers", () => {
  it.each<[ServerProbe, string, Partial<ServerTarget>]>([
    [smtpProbe, "mail.example.com", { host: "mail.example.com", port: 25, tls: "off" }],
    [smtpProbe, "mail.example.com:587", { port: 587, tls: "off" }],
    [smtpProbe, "mail.example.com:465", { port: 465, tls: "on" }],
    [smtpProbe, " SMTPS://mail.example.com/ ", { port: 465, tls: "on" }],
    [smtpProbe, "smtps://mail.example.com:2525", { port: 2525, tls: "on" }],
    [pop3Probe, "mail.example.com:995", { port: 995, tls: "on" }],
    [pop3Probe, "pop3://mail.example.com", { port: 110, tls: "off" }],
    [imapProbe, "imaps://ann%40example.com:p%2Fw@mail.example.com", { port: 993, tls: "on" }],
    [telnetProbe, "[2001:db8::1]:2323", { host: "[2001:db8::1]", port: 2323, tls: "off" }],
    [redisProbe, "cache.example.com", { port: 6379, tls: "off" }],
    [redisProbe, "rediss://cache.example.com/3", { port: 6379, tls: "on", path: "3" }],
    [postgresProbe, "postgresql://db.example.com/shop", { port: 5432, path: "shop" }],
    [mysqlProbe, "mariadb://db.example.com", { port: 3306, path: "" }],
  ])("$type takes %s", (probe, text, value) => {
    expect(probe.parseTarget(text)).toMatchObject({ ok: true, value });
  });

  it.each([
    ["ann:secret@", { username: "ann", password: "secret" }],
    ["ann:p%40s%3As%2F@", { username: "ann", password: "p@s:s/" }],
    ["ann:p@ss:word@", { username: "ann", password: "p@ss:word" }],
    [":secret@", { username: "", password: "secret" }],
    ["ann@", { username: "ann", password: "" }],
    ["", null],
  ])("the credentials of %j are read", (login, credentials) => {
    expect(redisProbe.parseTarget(`redis://${login}cache.example.com`)).toMatchObject({ value: { credentials } });
  });

  it.each<[ServerProbe, string, string]>([
    [smtpProbe, "http://mail.example.com", "must have the form host:port or smtp://host or smtps://host"],
    [smtpProbe, "mail example.com", "must have the form host:port or smtp://host or smtps://host"],
    [smtpProbe, "::1:25", "must have the form host:port or smtp://host or smtps://host"],
    [smtpProbe, "mail.example.com:0", "must have a port between 1 and 65535"],
    [smtpProbe, "mail.example.com:65536", "must have a port between 1 and 65535"],
    [smtpProbe, "ann:secret@mail.example.com", "must not contain a user name or password"],
    [smtpProbe, "mail.example.com/path", "has a path that is not valid"],
    [telnetProbe, "ann:secret@router.example.com", "must not contain a user name or password"],
    [imapProbe, "ann:%zz@mail.example.com", "has a user name or password that is not valid"],
    [imapProbe, "ann:a%0d%0ab@mail.example.com", "has a user name or password that is not valid"],
    [redisProbe, "cache.example.com/first", "has a path that is not valid"],
    [
      postgresProbe,
      "db.example.com/a?sslmode=maybe",
      "must have one of disable, require, verify-ca, verify-full as its sslmode",
    ],
    [postgresProbe, "db.example.com/a?password=secret", "has a parameter that is not known"],
    [mysqlProbe, "db.example.com/a?password=secret", "has a parameter that is not known"],
  ])("$type refuses %s", (probe, text, reason) => {
    expect(probe.parseTarget(text)).toEqual({ ok: false, reason });
  });

  it("show the guard where they lead, without credentials", () => {
    const target = redisProbe.parseTarget("redis://ann:secret@cache.example.com");
    expect(target.ok && redisProbe.destination(target.value, { tls_mode: null })).toEqual({
      host: "cache.example.com",
      port: 6379,
    });
  });

  it("lead to a port that only an agent can reach where they name none for mail", () => {
    expect(smtpProbe.parseTarget("smtp://mail.example.com")).toMatchObject({ value: { port: 25 } });
  });
});

describe("tls_mode", () => {
  it.each<[ServerProbe, string, boolean]>([
    [smtpProbe, "starttls", true],
    [imapProbe, "on", true],
    [redisProbe, "starttls", false],
    [telnetProbe, "starttls", false],
    [postgresProbe, "on", true],
    [mysqlProbe, "starttls", false],
  ])("$type knows %s: %s", (probe, tls_mode, isKnown) => {
    expect(probe.options.safeParse({ tls_mode }).success).toBe(isKnown);
  });

  it("names the modes that a type knows", () => {
    expect(redisProbe.options.safeParse({ tls_mode: "starttls" }).error?.issues[0]?.message).toBe(
      "tls_mode must be off or on",
    );
  });
});
