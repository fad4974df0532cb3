import { type RunningServer, startServer } from "./run-server.ts";

export function startTelnetd(): Promise<RunningServer> {
  return startServer({
    ports: ["plain"],
    prepare: ({ write }, { plain }) => {
      const file = write("inetd.conf", `127.0.0.1:${plain} stream tcp nowait root /usr/sbin/telnetd telnetd\n`);
      return { command: "inetutils-inetd", args: ["-d", file] };
    },
  });
}
