import { describe, expect, it } from "vitest";
import { addressOf, allowableNetwork, isAllowable } from "./address.ts";

describe("what operators allow in the dashboard", () => {
  it.each([
    ["192.168.1.10", "192.168.1.0/24"],
    ["10.0.0.255", "10.0.0.0/24"],
    ["172.31.255.1", "172.31.255.0/24"],
    ["127.0.0.1", "127.0.0.1"],
    ["fd12:3456:789a:1::5", "fd12:3456:789a:1::/64"],
    ["::ffff:192.168.1.10", "192.168.1.0/24"],
    ["169.254.169.254", null],
    ["fe80::1", null],
    ["fd00:ec2::254", null],
    ["100.100.100.200", null],
    ["168.63.129.16", null],
    ["224.0.0.1", null],
    ["0.0.0.0", null],
    ["93.184.215.14", null],
  ])("is for %s the network %s", (text, network) => {
    const address = addressOf(text);
    expect(address && allowableNetwork(address)).toBe(network);
  });

  it.each([
    ["10.0.0.0/8", true],
    ["10.0.0.0/7", false],
    ["0.0.0.0/0", false],
    ["192.168.0.0/16", true],
    ["192.168.0.0/15", false],
    ["172.16.0.0/12", true],
    ["172.16.0.0/11", false],
    ["169.254.0.0/16", false],
    ["169.0.0.0/8", false],
    ["fd12:3456:789a::/48", true],
    ["fd12:3456::/32", false],
    ["fd00:ec2::/48", false],
    ["::/0", false],
    ["::ffff:169.254.169.254", false],
    ["localhost", true],
    ["db", true],
    ["nas.local", true],
    ["printer.home.arpa", true],
    ["shop.internal", true],
    ["metadata", false],
    ["metadata.google.internal", false],
    ["metadata.google.internal.", false],
    ["shop.example", false],
    ["hidden.onion", false],
    ["two words", false],
    ["a,b", false],
  ])("takes %s: %s", (entry, isTaken) => {
    expect(isAllowable(entry)).toBe(isTaken);
  });
});
