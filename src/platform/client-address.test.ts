import { expect, it } from "vitest";
import { clientAddressOf } from "./client-address.ts";

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
