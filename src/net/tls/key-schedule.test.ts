import { describe, expect, it } from "vitest";
import { applicationSecrets, CIPHER_SUITES, handshakeSecrets, trafficKey } from "./key-schedule.ts";

const bytes = (hex: string) => new Uint8Array(Buffer.from(hex.replaceAll(" ", ""), "hex"));
const hex = (data: Uint8Array) => Buffer.from(data).toString("hex");

/** The simple handshake of RFC 8448, section 3. */
const SHARED = "8bd4054fb55b9d63fdfbacf9f04b9f0d35e6d63f537563efd46272900f89492d";
const CLIENT_HELLO = `
  010000c00303cb34ecb1e78163ba1c38c6dacb196a6dffa21a8d9912ec18a2ef6283024dece7000006130113031302010000910000000b0009
  000006736572766572ff01000100000a00140012001d0017001800190100010101020103010400230000003300260024001d002099381de560
  e4bd43d23d8e435a7dbafeb3c06e51c13cae4d5413691e529aaf2c002b0003020304000d0020001e0403050306030203080408050806040105
  0106010201040205020602020 2002d00020101001c00024001`.replaceAll(/\s/g, "");
const SERVER_HELLO = `
  020000560303a6af06a4121860dc5e6e60249cd34c95930c8ac5cb1434dac155772ed3e2692800130100002e00330024001d0020c9828876112095
  fe66762bdbf7c672e156d6cc253b833df1dd69b1b04e751f0f002b00020304`.replaceAll(/\s/g, "");

describe("the keys of TLS 1.3", () => {
  it("are those of the published example", async () => {
    const suite = CIPHER_SUITES.get(0x1301);
    if (!suite) throw new Error("the suite is missing");
    const secrets = await handshakeSecrets(suite, bytes(SHARED), bytes(CLIENT_HELLO + SERVER_HELLO));
    expect({ client: hex(secrets.client), server: hex(secrets.server) }).toEqual({
      client: "b3eddb126e067f35a780b3abf45e2d8f3b1a950738f52e9600746a0e27a55a21",
      server: "b67b7d690cc16c4e75e54213cb2d37b4e9c912bcded9105d42befd59d391ad38",
    });
    const { iv } = await trafficKey(suite, secrets.server);
    expect(hex(iv)).toBe("5d313eb2671276ee13000b30");
  });

  it("differ for every transcript", async () => {
    const suite = CIPHER_SUITES.get(0x1302);
    if (!suite) throw new Error("the suite is missing");
    const secrets = await handshakeSecrets(suite, bytes(SHARED), bytes(CLIENT_HELLO));
    const one = await applicationSecrets(suite, secrets, bytes("00"));
    const other = await applicationSecrets(suite, secrets, bytes("01"));
    expect(hex(one.client)).toHaveLength(96);
    expect(hex(one.client)).not.toBe(hex(other.client));
    expect(hex(one.client)).not.toBe(hex(one.server));
  });
});
