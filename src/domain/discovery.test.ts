import { describe, expect, it } from "vitest";
import { type Discovery, watches, watchSettingsOf } from "./discovery.ts";

const redis: Discovery = { kind: "service", name: "redis", target: "127.0.0.1:6379", details: { type: "redis" } };
const web: Discovery = {
  kind: "container",
  name: "web",
  target: "unix:///run/docker.sock",
  details: { type: "docker", components: ["web"], image: "nginx" },
};

const plain = { components: [], is_unverified: false };

describe("how a discovery is watched", () => {
  it.each<[string, Discovery, ReturnType<typeof watchSettingsOf>]>([
    ["a service", redis, { ...plain, type: "redis", target: "127.0.0.1:6379" }],
    ["a container", web, { ...plain, type: "docker", target: "unix:///run/docker.sock", components: ["web"] }],
    [
      "a certificate that would not be accepted",
      { ...redis, target: "https://127.0.0.1:8443/", details: { type: "https", verify_ssl: false } },
      { ...plain, type: "https", target: "https://127.0.0.1:8443/", is_unverified: true },
    ],
    ["a kind that is a type", { ...redis, kind: "redis", details: null }, { ...watchSettingsOf(redis) }],
    ["a type that is none", { ...redis, details: { type: "gopher" } }, { ...watchSettingsOf(redis), type: null }],
    [
      "components that are none",
      { ...web, details: { type: "docker", components: [1, "web"] } },
      { ...plain, type: "docker", target: "unix:///run/docker.sock", components: ["web"] },
    ],
  ])("%s", (_name, discovery, expected) => {
    expect(watchSettingsOf(discovery)).toEqual(expected);
  });

  it.each<[string, Parameters<typeof watches>[0], Discovery, boolean]>([
    ["the same service", { type: "redis", target: "127.0.0.1:6379", options: {} }, redis, true],
    ["another port", { type: "redis", target: "127.0.0.1:6380", options: {} }, redis, false],
    ["another type", { type: "tcp", target: "127.0.0.1:6379", options: {} }, redis, false],
    [
      "its container",
      { type: "docker", target: "unix:///run/docker.sock", options: { components: ["db", "web"] } },
      web,
      true,
    ],
    [
      "another container",
      { type: "docker", target: "unix:///run/docker.sock", options: { components: ["db"] } },
      web,
      false,
    ],
    ["the whole engine", { type: "docker", target: "unix:///run/docker.sock", options: {} }, web, false],
    [
      "one container for the engine",
      { type: "docker", target: "unix:///run/docker.sock", options: { components: ["web"] } },
      { ...web, details: { type: "docker" } },
      false,
    ],
    [
      "no target at all",
      { type: "agent", target: null, options: {} },
      { ...redis, kind: "agent", target: null, details: null },
      false,
    ],
  ])("is or is not watched by a monitor of %s", (_name, monitor, discovery, expected) => {
    expect(watches(monitor, watchSettingsOf(discovery))).toBe(expected);
  });
});
