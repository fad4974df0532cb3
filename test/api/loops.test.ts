import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { createApp } from "../../src/app.ts";
import { createClientUnder, V1 } from "../support/client.ts";
import { createAccount } from "../support/factories.ts";
import { createWebhook, sinkUrl } from "../support/webhooks.ts";

const HERE = { ROOT_SECRET: env.ROOT_SECRET };
const THERE = { ROOT_SECRET: "the secret of another installation, long enough" };

/** The internet leads to an installation with this secret, under any name. */
function leadTo(installation: Record<string, unknown>) {
  const app = createApp();
  const outside = vi.spyOn(globalThis, "fetch");
  outside.mockImplementation(async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    const request = new Request(`http://vigil.test${url.pathname}`, {
      method: init?.method ?? "GET",
      headers: init?.headers,
      body: init?.body,
    });
    return app.fetch(request, { ...env, ...installation }, createExecutionContext());
  });
}

async function watch(installation: Record<string, unknown>) {
  const { token } = await createAccount();
  const client = createClientUnder(installation, token);
  const body = { name: "Other", type: "http", target: "http://sink.test/health", interval: 60 };
  return (await client.post(`${V1}/monitors/test`, body)).body;
}

describe("an installation", () => {
  it("takes no address of its own for a monitor or webhook, also where only the request names it", async () => {
    const { client } = await createAccount();
    const url = "https://vigil.test/health";
    const monitor = await client.post(`${V1}/monitors`, { name: "Me", type: "https", target: url });
    const webhook = await client.post(`${V1}/webhooks`, { name: "Me", url });
    for (const { status, body } of [monitor, webhook]) {
      expect([status, body.error]).toEqual([400, expect.stringContaining("is this service itself")]);
    }
  });

  it("refuses its own checks, under any name that they reach it by", async () => {
    leadTo(HERE);
    expect(await watch(HERE)).toMatchObject({ status: "down", message: "HTTP 403 instead of a 2xx" });
  });

  it("may watch another one, which may watch it in turn", async () => {
    leadTo(THERE);
    expect(await watch(HERE)).toMatchObject({ status: "up" });
    leadTo(HERE);
    expect(await watch(THERE)).toMatchObject({ status: "up" });
  });

  it("refuses its own deliveries, so that no webhook triggers itself", async () => {
    leadTo(HERE);
    const account = await createAccount();
    const webhook = await createWebhook(account, { url: sinkUrl().replace("sink.test/", "sink.test/ping/") });
    const tested = await account.client.post(`${V1}/webhooks/${webhook.id}/test`);
    expect(tested.body).toMatchObject({ delivered: false, status: 403 });
  });
});
