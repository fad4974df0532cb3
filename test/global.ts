import type { TestProject } from "vitest/node";
import { type OutsidePorts, startOutside } from "./support/network.ts";
import { type ServerPorts, startScriptedServers } from "./support/scripted-servers.ts";
import { type MailPorts, startSmtpServer } from "./support/smtp-server.ts";
import { startTlsServers, type TlsPorts } from "./support/tls-servers.ts";

declare module "vitest" {
  interface ProvidedContext {
    outside: OutsidePorts;
    tls: TlsPorts;
    servers: ServerPorts;
    mail: MailPorts;
    /** Chooses among values that not every run can try. */
    seed: number;
    /** How many times as much as `npm test` tries. */
    effort: number;
  }
}

/** Starts the outside in Node, before any test of the Workers runtime; tests find it by `inject("outside")`. */
export default async function setup(project: TestProject) {
  const [outside, tls, servers, mail] = await Promise.all([
    startOutside(),
    startTlsServers(),
    startScriptedServers(),
    startSmtpServer(),
  ]);
  console.log(`${project.name}: SEED=${project.getProvidedContext().seed} chooses the same values again`);
  project.provide("outside", outside.ports);
  project.provide("tls", tls.ports);
  project.provide("servers", servers.ports);
  project.provide("mail", mail.ports);
  return async () => void (await Promise.all([outside.stop(), tls.stop(), servers.stop(), mail.stop()]));
}
