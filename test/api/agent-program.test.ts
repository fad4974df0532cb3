import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { AGENTS } from "../support/agents.ts";
import { createClient } from "../support/client.ts";

const anybody = createClient();

describe("the agent program", () => {
  it("is offered with the checksum of what is downloaded, without a credential", async () => {
    const { status, body } = await anybody.get(`${AGENTS}/version`);
    expect(status).toBe(200);
    expect(body).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      url: `http://vigil.test${AGENTS}/program/vigil-agent.mjs`,
    });
    const program = await anybody.get(new URL(body.url).pathname);
    expect(program.body).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(createHash("sha256").update(program.body).digest("hex")).toBe(body.sha256);
  });

  it("has no signature where the operator made none", async () => {
    expect((await anybody.get(`${AGENTS}/program/vigil-agent.mjs.sig`)).status).toBe(404);
  });

  it("is installed by a script that knows the address of its service", async () => {
    const { status, headers, body } = await anybody.get(`${AGENTS}/install`);
    expect([status, headers.get("content-type")]).toEqual([200, "text/x-shellscript; charset=utf-8"]);
    expect(body).toMatch(/^#!\/bin\/sh\n/);
    expect(body).toContain("URL='http://vigil.test'");
    expect(body).not.toContain("@VIGIL_URL@");
  });
});
