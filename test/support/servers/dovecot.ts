import { type RunningServer, startServer } from "./run-server.ts";

/** A user `ann` with the password `pass "word"`, who may log in without TLS too. */
export function startDovecot(): Promise<RunningServer> {
  return startServer({
    ports: ["imap", "imaps", "pop3", "pop3s"],
    prepare: ({ dir, run, write }, ports) => {
      run("chmod", ["644", write("users", 'ann:{PLAIN}pass "word"\n')]);
      const listener = (service: string, name: string, tls: string) =>
        `service ${service}-login {\n inet_listener ${name} {\n address = 127.0.0.1\n port = ${ports[name]}\n ssl = ${tls}\n }\n }`;
      const file = write(
        "dovecot.conf",
        [
          "protocols = imap pop3",
          `base_dir = ${dir}/run`,
          `state_dir = ${dir}/state`,
          `log_path = ${dir}/log`,
          "ssl = yes",
          `ssl_cert = <${dir}/cert.pem`,
          `ssl_key = <${dir}/key.pem`,
          "disable_plaintext_auth = no",
          // Else refused logins make the next ones wait.
          "auth_failure_delay = 0",
          "service anvil {\n unix_listener anvil-auth-penalty {\n mode = 0\n }\n }",
          `mail_location = maildir:${dir}/mail`,
          `passdb {\n driver = passwd-file\n args = ${dir}/users\n }`,
          `userdb {\n driver = static\n args = uid=65534 gid=65534 home=${dir}\n }`,
          listener("imap", "imap", "no"),
          listener("imap", "imaps", "yes"),
          listener("pop3", "pop3", "no"),
          listener("pop3", "pop3s", "yes"),
        ].join("\n"),
      );
      return { command: "dovecot", args: ["-F", "-c", file] };
    },
  });
}
