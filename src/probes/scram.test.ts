import { describe, expect, it } from "vitest";
import { scramClient } from "./scram.ts";

/** The example of RFC 7677, section 3. */
const NONCE = "rOprNGfwEbeRWgbNEkqO";
const SERVER_FIRST = "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";
const client = () => scramClient({ username: "user", password: "pencil", nonce: NONCE });

describe("SCRAM-SHA-256", () => {
  it("speaks as the example of its standard does", () => {
    const scram = client();
    expect(scram.first).toBe("n,,n=user,r=rOprNGfwEbeRWgbNEkqO");
    expect(scram.final(SERVER_FIRST)).toBe(
      "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=",
    );
    expect(() => scram.verify("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")).not.toThrow();
  });

  it("does not believe a server that does not know the password", () => {
    const scram = client();
    scram.final(SERVER_FIRST);
    expect(() => scram.verify("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G5=")).toThrow(/prove/);
    expect(() => client().verify("v=")).toThrow(/prove/);
  });

  it.each([
    ["another nonce", SERVER_FIRST.replace("r=rO", "r=xO"), /not valid/],
    ["a nonce without its own part", `r=${NONCE},s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096`, /not valid/],
    ["no salt", SERVER_FIRST.replace(/s=[^,]+,/, ""), /not valid/],
    ["no rounds", SERVER_FIRST.replace("i=4096", "i=0"), /not valid/],
    ["rounds that would burn our time", SERVER_FIRST.replace("i=4096", "i=50001"), /too costly/],
  ])("refuses a challenge with %s", (_name, challenge, words) => {
    expect(() => client().final(challenge)).toThrow(words);
  });

  it("answers one challenge only", () => {
    const scram = client();
    scram.final(SERVER_FIRST);
    expect(() => scram.final(SERVER_FIRST)).toThrow(/repeats/);
  });
});
