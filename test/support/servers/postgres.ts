import { type RunningServer, startServer } from "./run-server.ts";

/** Users ann (SCRAM), bob (md5), eve (password in clear) and tom (trusted); the password is `pass word`. */
export function startPostgres(maxConnections = 20): Promise<RunningServer> {
  return startServer({
    ports: ["plain"],
    user: "postgres",
    prepare: ({ dir, run, write }, { plain }) => {
      run("initdb", ["-D", `${dir}/data`, "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C"]);
      run("postgres", ["--single", "-D", `${dir}/data`, "postgres"], USERS.join("\n"));
      write("data/pg_hba.conf", ACCESS.map((line) => `host all ${line}`).join("\n"));
      const tls = { ssl: "on", ssl_cert_file: `${dir}/cert.pem`, ssl_key_file: `${dir}/key.pem` };
      const settings = { ...tls, listen_addresses: "127.0.0.1", unix_socket_directories: "", fsync: "off" };
      const more = { max_connections: `${maxConnections}`, superuser_reserved_connections: "0" };
      const options = Object.entries({ ...settings, ...more }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
      return { command: "postgres", args: ["-D", `${dir}/data`, "-p", `${plain}`, ...options] };
    },
  });
}

const USERS = [
  "CREATE ROLE ann LOGIN PASSWORD 'pass word';",
  "SET password_encryption = 'md5'; CREATE ROLE bob LOGIN PASSWORD 'pass word';",
  "CREATE ROLE eve LOGIN PASSWORD 'pass word';",
  "CREATE ROLE tom LOGIN;",
];
const ACCESS = [
  "ann 127.0.0.1/32 scram-sha-256",
  "bob 127.0.0.1/32 md5",
  "eve 127.0.0.1/32 password",
  "tom 127.0.0.1/32 trust",
];
