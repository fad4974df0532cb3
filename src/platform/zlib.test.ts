import { constants, deflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { deflate, inflateExactly } from "./zlib.ts";

const bytes = new Uint8Array([1, 2, 3, 4]);

/** A few hundred kB that unfold to 512 MB. */
function bomb(): Uint8Array {
  const segment = deflateRawSync(new Uint8Array(1 << 20), { finishFlush: constants.Z_FULL_FLUSH });
  return Buffer.concat([Buffer.from([0x78, 0x9c]), ...Array.from({ length: 512 }, () => segment)]);
}

describe("inflateExactly", () => {
  it.each([
    ["as many bytes as expected", deflate(bytes), bytes],
    ["fewer bytes", deflate(bytes.slice(1)), null],
    ["more bytes", deflate(new Uint8Array([...bytes, 5])), null],
    ["damaged data", new Uint8Array([9, 9, 9]), null],
  ])("reads %s", (_name, packed, expected) => {
    expect(inflateExactly(packed, 4)).toEqual(expected);
  });

  it("takes no more memory than expected for data that would unfold to 512 MB", () => {
    const packed = bomb();
    const before = process.resourceUsage().maxRSS;
    expect(inflateExactly(packed, 1000)).toBeNull();
    expect((process.resourceUsage().maxRSS - before) / 1024).toBeLessThan(64);
  });
});
