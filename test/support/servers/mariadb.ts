import { type RunningServer, startServer } from "./run-server.ts";

/** Users with the password `pass word`: `ann`, who may use the database `shop`, and `tess`, who must use TLS. */
export function startMariadb(): Promise<RunningServer> {
  return startServer({
    ports: ["plain"],
    user: "mysql",
    prepare: ({ dir, run, write }, { plain }) => {
      const data = `--datadir=${dir}/data`;
      run("mariadb-install-db", ["--no-defaults", data, "--auth-root-authentication-method=normal", "--skip-test-db"]);
      const init = write("init.sql", USERS.join("\n"));
      const network = ["--bind-address=127.0.0.1", `--port=${plain}`, `--socket=${dir}/socket`];
      const tls = [`--ssl-cert=${dir}/cert.pem`, `--ssl-key=${dir}/key.pem`];
      return { command: "mariadbd", args: ["--no-defaults", data, ...network, ...tls, `--init-file=${init}`] };
    },
  });
}

const USERS = [
  "CREATE DATABASE shop;",
  "CREATE USER ann@'127.0.0.1' IDENTIFIED BY 'pass word';",
  "GRANT ALL ON shop.* TO ann@'127.0.0.1';",
  "CREATE USER ann@localhost IDENTIFIED BY 'pass word';",
  "GRANT ALL ON shop.* TO ann@localhost;",
  "CREATE USER tess@'127.0.0.1' IDENTIFIED BY 'pass word' REQUIRE SSL;",
  "CREATE USER tess@localhost IDENTIFIED BY 'pass word' REQUIRE SSL;",
];
