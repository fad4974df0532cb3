import { describe, expect, it } from "vitest";
import { maskTokens } from "./mask-tokens.ts";

describe("a text of another system", () => {
  it.each([
    [
      "credentials of a cloud's metadata service",
      '{"Code":"Success","AccessKeyId":"ASIAEXAMPLE","SecretAccessKey":"sEcReT/abc","Token":"IQoJb3Jp"}',
      '{"Code":"Success","AccessKeyId":"***","SecretAccessKey":"***","Token":"***"}',
    ],
    ["a header", "Authorization: Bearer abc.def", "Authorization: Bearer ***"],
    ["a cookie", "set-cookie: sid=abc123; Path=/", "set-cookie: ***; Path=/"],
    ["a line of YAML", "db_password: hunter2 port: 5432", "db_password: *** port: 5432"],
    ["a query", "/callback?access_token=abcdef&page=2", "/callback?access_token=***&page=2"],
    ["a JSON web token", "got eyJhbGciOiJI.eyJzdWIiOiIx.c2ln today", "got *** today"],
    ["a key by its prefix", "key ghp_0123456789abcdefABCD is bad", "key *** is bad"],
    ["a private key", "x -----BEGIN RSA PRIVATE KEY----- MIIEow", "x ***"],
    ["random characters", "id wJalrXUtnFEMIK7MDENGbPxRfiCYz9 end", "id *** end"],
    ["a hash", `etag ${"0a".repeat(20)} end`, "etag *** end"],
  ])("shows nothing of %s", (_, text, masked) => {
    expect(maskTokens(text)).toBe(masked);
  });

  it.each([
    "we are closed",
    "upstream connect error or disconnect/reset before headers",
    "request 0199c0de-0000-7000-8000-000000000001 failed",
    "/opt/service/releases/current/public/index.html not found",
    "ERROR 1045 (28000): Access denied for user 'app'@'10.0.0.1'",
    "the token is not valid",
    "502 Bad Gateway nginx/1.25.3",
    "TooManyRequestsExceptionWhileReading",
  ])("keeps %j", (text) => {
    expect(maskTokens(text)).toBe(text);
  });

  it("is masked in time that its length bounds, with any characters", () => {
    for (const part of ["a", "aA1", "secret", "secret:", "-----BEGIN ", "eyJ", "x-", " ", 'token="', "/+"]) {
      expect(maskTokens(part.repeat(4096 / part.length)).length).toBeLessThanOrEqual(8192);
    }
  });
});
