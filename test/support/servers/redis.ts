import { type RunningServer, startServer } from "./run-server.ts";

/** With a password, `default:secret`, and a user `guest:word` who may do nothing; without one it is open. */
export function startRedis(isProtected: boolean): Promise<RunningServer> {
  return startServer({
    ports: ["plain", "tls"],
    prepare: ({ dir }, { plain, tls }) => {
      const network = ["--bind", "127.0.0.1", "--port", `${plain}`, "--tls-port", `${tls}`, "--tls-auth-clients", "no"];
      const files = ["--dir", dir, "--save", "", "--tls-cert-file", "cert.pem", "--tls-key-file", "key.pem"];
      const trust = ["--tls-ca-cert-dir", "/etc/ssl/certs"];
      const users = isProtected ? ["--requirepass", "secret", "--user", "guest", "on", ">word", "-@all", "+auth"] : [];
      return { command: "redis-server", args: [...network, ...files, ...trust, ...users] };
    },
  });
}
