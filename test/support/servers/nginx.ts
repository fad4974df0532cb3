import { type RunningServer, startServer } from "./run-server.ts";

const SITES = {
  tls_1_3: "ssl_protocols TLSv1.3;",
  tls_1_2: "ssl_protocols TLSv1.2;",
  rsa_era: "ssl_protocols TLSv1.2; ssl_ciphers ECDHE-ECDSA-AES128-SHA;",
  p_256: "ssl_protocols TLSv1.3; ssl_ecdh_curve prime256v1;",
  p_521: "ssl_protocols TLSv1.3; ssl_ecdh_curve secp521r1;",
};
const TEMPORARY = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];

/** One site for each way in which servers restrict TLS; all answer `nginx says hello`. */
export function startNginx(): Promise<RunningServer> {
  return startServer({
    ports: Object.keys(SITES),
    prepare: ({ dir, write }, ports) => {
      const sites = Object.entries(SITES).map(
        ([name, text]) =>
          `server { listen 127.0.0.1:${ports[name]} ssl; ${text} location / { return 200 "nginx says hello\\n"; } }`,
      );
      const http = [
        "access_log off;",
        ...TEMPORARY.map((name) => `${name}_temp_path ${dir}/${name};`),
        `ssl_certificate ${dir}/cert.pem; ssl_certificate_key ${dir}/key.pem;`,
        ...sites,
      ];
      const file = write(
        "nginx.conf",
        `daemon off; pid ${dir}/pid; error_log stderr; events {}\nhttp {\n${http.join("\n")}\n}\n`,
      );
      return { command: "nginx", args: ["-c", file, "-e", "stderr"] };
    },
  });
}
