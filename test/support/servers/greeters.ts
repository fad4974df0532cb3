import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type RunningServer, type ServerPlan, startServer } from "./run-server.ts";

/** Servers that say who they are once somebody connects, or asks without a login; on the port `plain`. */
const GREETERS: Readonly<Record<string, ServerPlan["prepare"]>> = {
  sshd: ({ run, write, dir }, { plain }) => {
    run("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", "host_key"]);
    mkdirSync("/run/sshd", { recursive: true });
    const lines = [`Port ${plain}`, "ListenAddress 127.0.0.1", `HostKey ${join(dir, "host_key")}`, "PidFile none"];
    const file = write("sshd_config", lines.join("\n"));
    return { command: "/usr/sbin/sshd", args: ["-D", "-e", "-f", file] };
  },
  vsftpd: ({ write, dir }, { plain }) => {
    mkdirSync(join(dir, "empty"));
    const lines = [
      `listen_port=${plain}`,
      ...["listen=YES", "listen_ipv6=NO", "listen_address=127.0.0.1", "background=NO", "local_enable=YES"],
      ...["isolate=NO", "isolate_network=NO", "seccomp_sandbox=NO"],
      `secure_chroot_dir=${join(dir, "empty")}`,
    ];
    return { command: "vsftpd", args: [write("vsftpd.conf", lines.join("\n"))] };
  },
  memcached: (_setup, { plain }) => ({
    command: "memcached",
    args: ["-l", "127.0.0.1", "-p", `${plain}`, "-U", "0", "-u", "root", "-m", "16"],
  }),
  slapd: ({ write, dir }, { plain }) => {
    mkdirSync(join(dir, "data"));
    const lines = [
      "include /etc/ldap/schema/core.schema",
      ...["modulepath /usr/lib/ldap", "moduleload back_mdb", "database mdb", 'suffix "dc=example,dc=com"'],
      `directory ${join(dir, "data")}`,
    ];
    return {
      command: "slapd",
      args: ["-d", "0", "-h", `ldap://127.0.0.1:${plain}`, "-f", write("slapd.conf", `${lines.join("\n")}\n`)],
    };
  },
};

export function startGreeter(command: string): Promise<RunningServer> {
  const prepare = GREETERS[command];
  if (!prepare) throw new Error(`no such server: ${command}`);
  return startServer({ ports: ["plain"], prepare });
}
