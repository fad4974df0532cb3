import { z } from "zod";

const NETWORKS_MAX = 50;

export const ReachableNetworksChange = z
  .object({
    networks: z.array(z.string().trim().toLowerCase().min(1).max(253)).max(NETWORKS_MAX).meta({
      description:
        "all of them: addresses and networks (CIDR) of 127.0.0.0/8, 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 and fc00::/7 (from /48 on), and names without a dot or that end in .localhost, .local, .internal or .home.arpa",
    }),
  })
  .meta({ id: "ReachableNetworksChange" });
export type ReachableNetworksChange = z.infer<typeof ReachableNetworksChange>;

export const ReachableNetworks = z
  .object({
    networks: z.array(z.string()).meta({ description: "what operators allowed" }),
    set_by_environment: z
      .array(z.string())
      .meta({ description: "what EGRESS_ALLOW names, and no request changes; it holds everywhere" }),
    in_force: z.boolean().meta({
      description:
        "whether `networks` holds and may be added to: only programs of this machine reach the service, and it has one account",
    }),
  })
  .meta({ id: "ReachableNetworks" });
