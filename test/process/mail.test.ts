import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import PostalMime from "postal-mime";
import { afterAll, beforeAll, expect, it } from "vitest";
import { EXIM_LOGIN, type Exim, startExim } from "../support/servers/exim.ts";
import { describeServer } from "../support/servers/run-server.ts";
import { runNpm, type Service, START_TIMEOUT_MS, startService, temporaryDir } from "./support.ts";

/** From the first minute that finds it on, with a whole minute to spare on a busy machine. */
const PATIENCE_MS = 150_000;

describeServer("exim4", "npm start with SMTP_URL", () => {
  let exim: Exim;
  let service: Service;
  let env: Record<string, string>;

  beforeAll(async () => {
    exim = await startExim();
    const stateDir = temporaryDir();
    const authorities = join(stateDir, "authorities.pem");
    for (const file of [join(exim.dir, "ca.pem"), process.env.NODE_EXTRA_CA_CERTS ?? ""]) {
      if (file !== "") appendFileSync(authorities, readFileSync(file));
    }
    const login = `${EXIM_LOGIN.username}:${encodeURIComponent(EXIM_LOGIN.password)}`;
    env = {
      STATE_DIR: stateDir,
      NODE_EXTRA_CA_CERTS: authorities,
      MAIL_FROM: "Überwachung <vigil@example.com>",
      SMTP_URL: `smtp://${login}@localhost:${exim.ports.plain}`,
    };
    service = await startService({ env });
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    await service?.stop();
    await exim?.stop();
  });

  async function post(path: string, body: object): Promise<Record<string, string>> {
    const response = await fetch(`${service.url}/api/uptime/v1${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(201);
    return (await response.json()) as Record<string, string>;
  }

  it(
    "delivers an invitation by STARTTLS and a login, and leaves nothing of it in the outbox",
    async () => {
      const page = await post("/status-pages", { name: "Läden & Höfe", slug: "shops" });
      await post(`/status-pages/${page.id}/members`, {
        email: "bob@example.org",
        role: "viewer",
      });
      await expect.poll(() => exim.readMail().length, { timeout: PATIENCE_MS }).toBe(1);
      const [mail = Buffer.from("")] = exim.readMail();
      const parsed = await PostalMime.parse(mail);
      expect(parsed).toMatchObject({
        from: { name: "Überwachung", address: "vigil@example.com" },
        to: [{ address: "bob@example.org" }],
        subject: expect.stringContaining("Läden & Höfe"),
        text: expect.stringMatching(/^http:\S+\/app\/accept\?token=\w+$/m),
        messageId: expect.stringMatching(/^<[0-9a-f-]{36}@example\.com>$/),
      });
      const settled = async () =>
        (await service.execute([{ sql: "SELECT state, error, sealed FROM mail_outbox", params: [] }]))[0];
      await expect.poll(settled).toEqual([{ state: "sent", error: null, sealed: null }]);
    },
    2 * PATIENCE_MS,
  );

  it("refuses to start with port 25, and says why without the password", async () => {
    const wrong = { ...env, STATE_DIR: temporaryDir(), SMTP_URL: "smtp://ann:hunter2@localhost:25" };
    const { code, stdout, stderr } = await runNpm(["start"], { env: wrong });
    expect(code).not.toBe(0);
    expect(stderr).toContain("SMTP_URL: must not name port 25, which Workers cannot reach: take 465 or 587");
    expect(stdout + stderr).not.toContain("hunter2");
  });
});
