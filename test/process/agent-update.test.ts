import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { installUpdate } from "../../src/agent/update.ts";
import { Uplink } from "../../src/agent/uplink.ts";
import { temporaryDir } from "./support.ts";

/** What a service that is not to be trusted can and cannot have an agent install. */

const OLD = "console.log('1.0.0');\n";
const NEW = "console.log('2.0.0');\n";
const [operator, stranger] = [generateKeyPairSync("ed25519"), generateKeyPairSync("ed25519")];
const pinned = operator.publicKey.export({ type: "spki", format: "pem" }).toString();
const sha256Of = (text: string) => createHash("sha256").update(text).digest("hex");
const signatureOf = (text: string, { privateKey } = operator) => sign(null, Buffer.from(text), privateKey);

let server: Server;
let origin: string;
let programPath: string;
/** What the service gives; a path that is absent is 404. */
let offered: { program: string; sha256: string; signature?: string; redirect?: string };

beforeEach(async () => {
  programPath = join(temporaryDir(), "vigil-agent.mjs");
  writeFileSync(programPath, OLD, { mode: 0o755 });
  offered = { program: NEW, sha256: sha256Of(NEW) };
  server = createServer(({ url }, response) => {
    if (url?.endsWith("/agents/version")) {
      const { sha256 } = offered;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ version: "2.0.0", sha256, url: `${origin}/program` }));
    } else if (url === "/program" && offered.redirect) {
      response.writeHead(302, { location: offered.redirect }).end();
    } else if (url === "/program") response.end(offered.program);
    else if (url === "/program.sig" && offered.signature !== undefined) response.end(offered.signature);
    else response.writeHead(404).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => void server.close());

function update(update_public_key: string | null = null) {
  const uplink = new Uplink({ url: origin, token: () => "ag_x" });
  return installUpdate({ uplink, config: { update_public_key }, programPath });
}

describe("an update of the agent", () => {
  it("replaces the program, which stays executable, and keeps the former one", async () => {
    expect(await update()).toEqual({ updated: true, version: "2.0.0" });
    expect([readFileSync(programPath, "utf8"), readFileSync(`${programPath}.previous`, "utf8")]).toEqual([NEW, OLD]);
    expect(statSync(programPath).mode & 0o777).toBe(0o755);
    expect(await update()).toEqual({ updated: false, version: "2.0.0" });
  });

  it("is installed with the signature of the operator where a key is pinned", async () => {
    offered.signature = `${signatureOf(NEW).toString("base64")}\n`;
    expect(await update(pinned)).toMatchObject({ updated: true });
    expect(readFileSync(programPath, "utf8")).toBe(NEW);
  });

  it.each<[string, () => void, string | null, string]>([
    ["another checksum", () => (offered.sha256 = sha256Of("else")), null, "checksum"],
    [
      "another checksum, though it is signed",
      () => {
        offered.sha256 = sha256Of("else");
        offered.signature = signatureOf(NEW).toString("base64");
      },
      pinned,
      "checksum",
    ],
    ["no signature", () => {}, pinned, "not signed"],
    ["a signature that is none", () => (offered.signature = "nonsense"), pinned, "signature"],
    ["an empty signature", () => (offered.signature = ""), pinned, "signature"],
    [
      "the signature of somebody else",
      () => (offered.signature = signatureOf(NEW, stranger).toString("base64")),
      pinned,
      "signature",
    ],
    [
      "the operator's signature of another program",
      () => (offered.signature = signatureOf(OLD).toString("base64")),
      pinned,
      "signature",
    ],
    [
      "a program that does not start",
      () => {
        offered.program = "throw new Error('no');\n";
        offered.sha256 = sha256Of(offered.program);
      },
      null,
      "does not start",
    ],
    ["a redirect", () => (offered.redirect = `${origin}/elsewhere`), null, "redirect"],
  ])("is refused with %s, and leaves the program as it was", async (_name, offer, key, reason) => {
    offer();
    const failure = await update(key).catch((error: Error) => error);
    expect(failure).toBeInstanceOf(Error);
    const { message, cause } = failure as Error;
    expect(`${message} ${cause instanceof Error ? `${cause.message} ${String(cause.cause)}` : ""}`).toContain(reason);
    expect(readFileSync(programPath, "utf8")).toBe(OLD);
    expect(existsSync(`${programPath}.previous`)).toBe(false);
    // Nothing is left behind that somebody could start.
    expect(readdirSync(join(programPath, ".."))).toEqual(["vigil-agent.mjs"]);
  });
});
