import { type RunningServer, startServer } from "./run-server.ts";

/** Accepts connections on a plain port with STARTTLS, on one with TLS from the start, and on one that offers no TLS. */
export function startExim(): Promise<RunningServer> {
  return startServer({
    ports: ["plain", "tls", "bare"],
    prepare: ({ dir, run, write }, { plain, tls, bare }) => {
      run("chmod", ["644", "key.pem", "cert.pem"]);
      run("mkdir", ["-m", "777", "spool", "log"]);
      const config = [
        "primary_hostname = localhost",
        `spool_directory = ${dir}/spool`,
        `log_file_path = ${dir}/log/%slog`,
        `pid_file_path = ${dir}/spool/pid`,
        "local_interfaces = 127.0.0.1",
        `daemon_smtp_ports = ${plain} : ${tls} : ${bare}`,
        `tls_on_connect_ports = ${tls}`,
        `tls_advertise_hosts = \${if eq{$received_port}{${bare}}{}{*}}`,
        `tls_certificate = ${dir}/cert.pem`,
        `tls_privatekey = ${dir}/key.pem`,
      ];
      const file = write("exim.conf", `${config.join("\n")}\n`);
      run("chmod", ["644", file]);
      return { command: "exim4", args: ["-bdf", "-C", file] };
    },
  });
}
