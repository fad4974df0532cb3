import { afterAll, beforeAll, expect, it } from "vitest";
import { redisProbe } from "../../src/probes/redis.ts";
import { describeProbe } from "../support/probe-contract.ts";
import { checkInNode } from "../support/servers/checks.ts";
import { startRedis } from "../support/servers/redis.ts";
import { describeServer, type RunningServer } from "../support/servers/run-server.ts";

describeProbe({ probe: redisProbe, target: (port) => `127.0.0.1:${port}` });
describeProbe({ probe: redisProbe, target: (port) => `redis://user:password@127.0.0.1:${port}` });

describeServer("redis-server", "a redis check against Redis", () => {
  let open: RunningServer;
  let locked: RunningServer;
  beforeAll(async () => {
    [open, locked] = await Promise.all([startRedis(false), startRedis(true)]);
  }, 60_000);
  afterAll(() => Promise.all([open.stop(), locked.stop()]));

  it("finds an open server up", async () => {
    expect(await checkInNode(redisProbe, `127.0.0.1:${open.ports.plain}`)).toMatchObject({
      outcome: "success",
      message: "PONG",
      details: { tls: false, logged_in: false },
    });
  });

  it.each([
    ["no credentials", "", "success", "Redis answers, but asks for a login"],
    ["the password", ":secret@", "success", "PONG"],
    ["user and password", "default:secret@", "success", "PONG"],
    ["a wrong password", ":wrong@", "failure", "login refused"],
    ["a user who may do nothing", "guest:word@", "failure", "the user may not do this"],
  ])("judges a protected server by the login it was given: %s", async (_name, login, outcome, message) => {
    const plain = await checkInNode(redisProbe, `redis://${login}127.0.0.1:${locked.ports.plain}`);
    expect(plain).toMatchObject({ outcome, message });
    const encrypted = await checkInNode(redisProbe, `rediss://${login}localhost:${locked.ports.tls}`);
    expect(encrypted).toMatchObject({ outcome, message, details: { tls: true } });
  });

  it.each([
    ["/15", "success", "PONG"],
    ["/16", "failure", "SELECT is answered with an error"],
  ])("asks for the database that the target names: %s", async (path, outcome, message) => {
    const target = `redis://127.0.0.1:${open.ports.plain}${path}`;
    expect(await checkInNode(redisProbe, target)).toMatchObject({ outcome, message });
  });
});
