import { describe, expect, it } from "vitest";
import { createClientUnder } from "../support/client.ts";
import { createAccount } from "../support/factories.ts";

const PATH = "/app/components";

describe("the components of the dashboard", () => {
  it.each(["http://127.0.0.1:8787", "http://localhost:8787"])("are shown at %s", async (PUBLIC_URL) => {
    const { token } = await createAccount();
    const { status, body } = await createClientUnder({ PUBLIC_URL }, token).get(PATH);
    expect(status).toBe(200);
    expect(body).toContain("Fields, refused");
  });

  it.each([
    "https://status.example.com",
    "https://vigil.example.workers.dev",
  ])("are not there in a deployment at %s, also for its operator", async (PUBLIC_URL) => {
    const { token } = await createAccount({ operator: true });
    const { status, body } = await createClientUnder({ PUBLIC_URL }, token).get(PATH);
    expect(status).toBe(404);
    expect(body).not.toContain("Fields, refused");
  });
});
