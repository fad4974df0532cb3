import { describe, expect, it } from "vitest";
import { isSignedByTwilio } from "./chat-signatures.ts";

/** https://github.com/twilio/twilio-node/blob/main/spec/unit/webhooks.spec.js */
const EXAMPLE = {
  url: "https://mycompany.com/myapp.php?foo=1&bar=2",
  signature: "RSOYDt4T1cUTdK1PDd93/VVr8B8=",
  fields: {
    CallSid: "CA1234567890ABCDE",
    Digits: "1234",
    From: "+14158675309",
    To: "+18005551212",
    Caller: "+14158675309",
  },
};
const form = (fields: Record<string, string> = {}) => new URLSearchParams({ ...EXAMPLE.fields, ...fields });
const { url, signature } = EXAMPLE;

describe("a request of Twilio", () => {
  it("is recognised by the signature of Twilio's own example", () => {
    expect(isSignedByTwilio("12345", { url, signature, form: form() })).toBe(true);
  });

  it.each([
    ["another field", "12345", { url, signature, form: form({ Digits: "1" }) }],
    ["a field more", "12345", { url, signature, form: form({ More: "1" }) }],
    ["another address", "12345", { url: `${url}&x=1`, signature, form: form() }],
    ["another token", "54321", { url, signature, form: form() }],
    ["no token", "", { url, signature, form: form() }],
    ["no signature", "12345", { url, signature: "", form: form() }],
  ])("is refused with %s", (_name, token, request) => {
    expect(isSignedByTwilio(token, request)).toBe(false);
  });
});
