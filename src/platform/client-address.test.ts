import { expect, it } from "vitest";
import { clientAddressOf, clientNetworkOf } from "./client-address.ts";

it.each<[name: string, header: string | null, clientIp: string | undefined, address: string | null]>([
  ["the header of the platform", "192.0.2.1", "198.51.100.7:4000", "192.0.2.1"],
  ["an IPv4 address with a port", null, "198.51.100.7:4000", "198.51.100.7"],
  ["an IPv6 address with a port", null, "[2001:db8::1]:4000", "2001:db8::1"],
  ["nothing", null, undefined, null],
])("the address of a client is known from %s", (_name, header, clientIp, address) => {
  const request = new Request("http://vigil.test/", { headers: header === null ? {} : { "cf-connecting-ip": header } });
  Object.defineProperty(request, "cf", { value: clientIp === undefined ? undefined : { clientIp } });
  expect(clientAddressOf(request)).toBe(address);
});

it.each([
  ["as Cloudflare knows it", { asn: 24940, asOrganization: "Hetzner", country: "DE" }, [24940, "Hetzner", "DE"]],
  ["as far as it is known", { asn: 64500 }, [64500, null, null]],
])("the network of a client is %s", (_name, cf, [asn, name, country]) => {
  const request = Object.assign(new Request("https://vigil.example/"), { cf });
  expect(clientNetworkOf(request)).toEqual({ asn, name, country });
});

it("the network of a client is unknown on a machine by itself", () => {
  const request = Object.assign(new Request("https://vigil.example/"), { cf: { clientIp: "203.0.113.7:41000" } });
  expect(clientNetworkOf(request)).toBeNull();
});
