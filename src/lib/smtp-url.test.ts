import { describe, expect, it } from "vitest";
import { settingsOf } from "../platform/settings.ts";
import { parseSmtpUrl } from "./smtp-url.ts";

describe("SMTP_URL", () => {
  it.each([
    ["smtps://mail.example", { host: "mail.example", port: 465, tls: "on", credentials: null }],
    ["smtp://mail.example", { host: "mail.example", port: 587, tls: "starttls", credentials: null }],
    ["smtp://mail.example:2525/", { host: "mail.example", port: 2525, tls: "starttls", credentials: null }],
    ["SMTPS://Mail.Example:443", { host: "mail.example", port: 443, tls: "on", credentials: null }],
    ["smtps://mäil.example", { host: "xn--mil-qla.example", port: 465, tls: "on", credentials: null }],
    ["smtp://[::1]:1025?tls=off", { host: "[::1]", port: 1025, tls: "off", credentials: null }],
    ["smtp://localhost:1025/?tls=off", { host: "localhost", port: 1025, tls: "off", credentials: null }],
    [
      "smtps://ann%40example.com:p%40ss%3Aw%C3%B6rd@mail.example",
      {
        host: "mail.example",
        port: 465,
        tls: "on",
        credentials: { username: "ann@example.com", password: "p@ss:wörd" },
      },
    ],
  ])("%s is understood", (text, value) => {
    expect(parseSmtpUrl(text)).toEqual({ ok: true, value });
  });

  it.each([
    ["mail.example:465", "must have the form"],
    ["https://mail.example", "must have the form"],
    ["smtps://", "must have the form"],
    ["smtps://mail.example/inbox", "must have the form"],
    ["smtps://mail.example:99999", "must have the form"],
    ["smtp://mail.example:25", "must not name port 25, which Workers cannot reach: take 465 or 587"],
    ["smtps://hunter:2%00@mail.example", "not percent-encoded"],
    ["smtps://hunter:100%@mail.example", "not percent-encoded"],
    ["smtp://mail.example?tls=maybe", "knows no parameter but ?tls=off"],
    ["smtp://hunter:two@mail.example?tls=off", "would travel unencrypted"],
    ["smtps://mail.example?tls=off", "must not switch TLS off"],
  ])("%s is refused, without being quoted", (text, reason) => {
    const parsed = parseSmtpUrl(text);
    expect(parsed).toEqual({ ok: false, reason: expect.stringContaining(reason) });
    expect(JSON.stringify(parsed)).not.toContain("hunter");
  });
});

describe("the settings of mail", () => {
  const parse = (settings: object) => settingsOf({ ROOT_SECRET: "x".repeat(32), ...settings });

  it.each([
    [{ SMTP_URL: "smtp://mail.example:25", MAIL_FROM: "a@example.com" }, "setting SMTP_URL: must not name port 25"],
    [{ SMTP_URL: "smtps://mail.example" }, "setting MAIL_FROM: is required when SMTP_URL or MAIL_HTTP_URL is set"],
    [{ MAIL_HTTP_URL: "https://mail.example" }, "setting MAIL_FROM: is required"],
    [{ MAIL_FROM: "somebody" }, "setting MAIL_FROM: must be an address or Some Name <address>"],
  ])("%j stop the start and name the culprit", (settings, message) => {
    expect(() => parse(settings)).toThrow(message);
  });

  it("are empty unless the operator sets them, and a name may stand before the address", () => {
    expect(parse({})).toMatchObject({ SMTP_URL: null, MAIL_FROM: "", MAIL_HTTP_URL: "" });
    expect(parse({ SMTP_URL: "", MAIL_FROM: "" })).toMatchObject({ SMTP_URL: null, MAIL_FROM: "" });
    expect(parse({ SMTP_URL: "smtps://m.example", MAIL_FROM: "Vigil <v@example.com>" })).toMatchObject({
      SMTP_URL: { host: "m.example" },
      MAIL_FROM: "Vigil <v@example.com>",
    });
  });
});
