import { type RunningServer, startServer } from "./run-server.ts";

/** Community `secret`, and the users `reader` (SHA and AES) and `plain` (MD5 alone), each with `a-long-password`. */
export function startSnmpd(): Promise<RunningServer> {
  return startServer({
    ports: ["snmp"],
    prepare: ({ dir, write }, { snmp }) => {
      const config = write(
        "snmpd.conf",
        [
          "rocommunity secret 127.0.0.1",
          "sysName rack-7",
          "sysDescr Test switch",
          'createUser reader SHA "a-long-password" AES "another-password"',
          'createUser plain MD5 "a-long-password"',
          "rouser reader priv",
          "rouser plain auth",
          `persistentDir ${dir}`,
        ].join("\n"),
      );
      // TCP as well, so that the test sees when it listens.
      return {
        command: "snmpd",
        args: ["-f", "-Lo", "-C", "-c", config, `udp:127.0.0.1:${snmp}`, `tcp:127.0.0.1:${snmp}`],
      };
    },
  });
}
