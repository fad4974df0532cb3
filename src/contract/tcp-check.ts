import { z } from "zod";
import { orElse } from "./http-fields.ts";

/** The tcp part of a monitor: what is spoken once the port is open. */

export const TCP_PROTOCOLS = ["ssh", "ftp", "memcached", "ldap"] as const;
export type TcpProtocol = (typeof TCP_PROTOCOLS)[number];

/** Accepts a monitor's body or record, whose other members it ignores. */
export const TcpCheck = z
  .object({
    tcp_protocol: orElse(
      z
        .enum(TCP_PROTOCOLS)
        .meta({ description: "what the server has to speak, without TLS; null: an open port is enough" }),
      null,
    ),
    expected_banner: orElse(
      z.string().trim().max(200).meta({ description: "what its greeting or version contains; with tcp_protocol" }),
      "",
    ),
  })
  .refine(({ tcp_protocol, expected_banner }) => tcp_protocol !== null || expected_banner === "", {
    path: ["expected_banner"],
    error: "expected_banner needs tcp_protocol",
  });
export type TcpCheck = z.infer<typeof TcpCheck>;
