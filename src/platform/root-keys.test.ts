import { describe, expect, it } from "vitest";
import { acknowledgeToken, parseAcknowledgeToken } from "./acknowledge-tokens.ts";
import { contactCode, isContactCode } from "./contact-codes.ts";
import { newId } from "./ids.ts";
import { installationId, isOwnInstallation } from "./installation.ts";
import { hashPassword, isPassword } from "./password.ts";
import { parsePreferenceToken, preferenceToken } from "./preference-tokens.ts";
import { formatRootKeys, parseRootKeys } from "./root-keys.ts";
import { seal, unseal } from "./seal.ts";
import { isSubscriberToken, subscriberToken } from "./subscriber-tokens.ts";

const OLD = "the first root secret, as its operator chose it";
const FRESH = "the second root secret of this installation";
const BOTH = `2:${FRESH},1:${OLD}`;
const NEW = `2:${FRESH}`;
const under = (ROOT_SECRET: string) => ({ ROOT_SECRET, PASSWORD_COST: 10 });

describe("parseRootKeys", () => {
  it.each([
    ["one secret", OLD, [{ id: 1, secret: OLD }]],
    ["one key with its number", NEW, [{ id: 2, secret: FRESH }]],
    [
      "several keys, and a comma in a secret",
      BOTH,
      [
        { id: 2, secret: FRESH },
        { id: 1, secret: OLD },
      ],
    ],
  ])("takes %s", (_name, text, all) => {
    expect(parseRootKeys(text)).toEqual({ ok: true, value: { current: all[0], all } });
    expect(parseRootKeys(formatRootKeys(all))).toEqual(parseRootKeys(text));
  });

  it.each([
    ["a short secret", "short"],
    ["a short secret among others", `2:short,1:${OLD}`],
    ["a number twice", `1:${FRESH},1:${OLD}`],
    ["the number 0", `0:${FRESH}`],
    ["a number beyond a byte", `256:${FRESH}`],
  ])("refuses %s", (_name, text) => {
    expect(parseRootKeys(text)).toMatchObject({ ok: false });
  });
});

describe("after a change of the root key", () => {
  it("links, codes and requests of the key before stay good, and those of a removed key do not", () => {
    const contact = { id: newId(), user_id: newId(), created_at: 1 };
    const id = newId();
    const link = { id, sent_at: 60_000, user_id: null };
    for (const [secret, isGood] of [
      [BOTH, true],
      [NEW, false],
    ] as const) {
      expect(parseAcknowledgeToken(secret, acknowledgeToken(OLD, link))?.id === id).toBe(isGood);
      expect(parsePreferenceToken(secret, preferenceToken(OLD, id)) === id).toBe(isGood);
      expect(isSubscriberToken(secret, subscriberToken(OLD, id, { kind: "manage" }), { kind: "manage" })).toBe(isGood);
      expect(isContactCode(secret, contact, contactCode(OLD, contact))).toBe(isGood);
      expect(isOwnInstallation(secret, installationId(OLD))).toBe(isGood);
      expect(isPassword(under(secret), "of somebody", hashPassword(under(OLD), "of somebody"))).toBe(isGood);
    }
  });

  it("new links and hashes are made under the new one", () => {
    const id = newId();
    const link = { id, sent_at: 60_000, user_id: null };
    expect(acknowledgeToken(BOTH, link)).toBe(acknowledgeToken(NEW, link));
    expect(installationId(BOTH)).toBe(installationId(NEW));
    expect(isPassword(under(NEW), "of somebody", hashPassword(under(BOTH), "of somebody"))).toBe(true);
  });

  it("sealed values open with their key, and a new one needs the new key alone", async () => {
    const [before, after] = [await seal(OLD, "row", "value"), await seal(BOTH, "row", "value")];
    expect([await unseal(BOTH, "row", before), await unseal(NEW, "row", after)]).toEqual(["value", "value"]);
    await expect(unseal(NEW, "row", before)).rejects.toThrow("ROOT_SECRET has no key 1");
    await expect(unseal(BOTH, "another row", after)).rejects.toThrow();
  });
});
