import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

async function open(path: string) {
  const response = await exports.default.fetch(`http://vigil.test${path}`);
  return { status: response.status, headers: response.headers, bytes: new Uint8Array(await response.arrayBuffer()) };
}

describe("the fonts of pages", () => {
  it("come from the service itself, for as long as a browser likes", async () => {
    const document = new TextDecoder().decode((await open("/app/sign-in")).bytes);
    const stylesheet = /<link rel="stylesheet" href="([^"]+)"/.exec(document)?.[1] ?? "";
    const preloaded = /<link rel="preload" as="font"[^>]* href="([^"]+)"/.exec(document)?.[1];
    const style = new TextDecoder().decode((await open(stylesheet)).bytes);
    const addresses = [...style.matchAll(/url\(([^)]+\.woff2)\)/g)].map(([, address]) => address ?? "");
    expect(addresses).toHaveLength(2);
    expect(addresses).toContain(preloaded);
    for (const address of addresses) {
      const { status, headers, bytes } = await open(address);
      expect([status, headers.get("content-type")]).toEqual([200, "font/woff2"]);
      expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(new TextDecoder().decode(bytes.subarray(0, 4))).toBe("wOF2");
    }
  });

  it("are those files alone", async () => {
    for (const file of ["LICENSE", "inter-latin-0123456789abcdef.woff2", "..%2fpublic-suffixes.txt"]) {
      expect((await open(`/assets/status-page/fonts/${file}`)).status).toBe(404);
    }
  });
});
