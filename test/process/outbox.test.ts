import { once } from "node:events";
import { beforeAll, describe, expect, it } from "vitest";
import { runNpm, type Service, START_TIMEOUT_MS, spawnNpm, startService } from "./support.ts";

describe("npm run mail", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
    const post = async (path: string, body: object) => {
      const response = await fetch(`${service.url}/api/uptime/v1${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      expect(response.status).toBe(201);
      return (await response.json()) as { id: string };
    };
    const { id } = await post("/status-pages", { name: "Shops", slug: "shops" });
    for (const name of ["ann", "bob"]) {
      await post(`/status-pages/${id}/members`, { email: `${name}@mail.example`, role: "viewer" });
    }
  }, START_TIMEOUT_MS);
  const command = ["run", "--silent", "mail"];

  it("prints what waits to be sent, the newest last", async () => {
    const { code, stdout } = await runNpm(command, { env: { STATE_DIR: service.stateDir } });
    expect(code).toBe(0);
    expect(stdout.match(/^To: .*$/gm)).toEqual(["To: ann@mail.example", "To: bob@mail.example"]);
    expect(stdout).toContain(`${service.url}/app/accept?token=`);
  });

  it("ends without a word when its reader has seen enough", async () => {
    const reader = spawnNpm(command, { env: { STATE_DIR: service.stateDir } });
    let complaints = "";
    reader.stderr?.setEncoding("utf8").on("data", (text) => (complaints += text));
    reader.stdout?.destroy();
    const [code] = await once(reader, "close");
    expect({ code, complaints: complaints.replace(/^npm warn.*\n/gm, "") }).toEqual({ code: 0, complaints: "" });
  });
});
