import { type RunningServer, startServer } from "./run-server.ts";

/** Answers for the zone shop.test with one record of every type, and fails on broken.test. */
export function startBind(): Promise<RunningServer> {
  return startServer({
    ports: ["dns"],
    prepare: ({ dir, write }, { dns }) => {
      write("shop.zone", ZONE);
      write("broken.zone", "this is no zone\n");
      const zone = (name: string) => `zone "${name}.test" { type primary; file "${dir}/${name}.zone"; };`;
      const options = [
        `directory "${dir}";`,
        `pid-file "${dir}/named.pid"; session-keyfile "${dir}/session.key";`,
        `listen-on port ${dns} { 127.0.0.1; }; listen-on-v6 { none; };`,
        "recursion no; allow-query { any; }; dnssec-validation no; querylog no;",
      ];
      const file = write(
        "named.conf",
        `options { ${options.join(" ")} };\ncontrols {};\n${zone("shop")}\n${zone("broken")}\n`,
      );
      return { command: "named", args: ["-g", "-n", "1", "-c", file] };
    },
  });
}

const ZONE = `$TTL 300
@ IN SOA ns1.shop.test. admin.shop.test. ( 7 3600 600 86400 60 )
@ IN NS ns1.shop.test.
@ IN MX 10 mail.shop.test.
@ IN TXT "v=spf1 -all" 
@ IN CAA 0 issue "ca.example"
ns1 IN A 192.0.2.53
www 60 IN A 192.0.2.1
www 30 IN A 192.0.2.2
www IN AAAA 2001:db8::1
shop IN CNAME www.shop.test.
_sip._tcp IN SRV 1 2 5060 sip.shop.test.
1.2.0.192 IN PTR www.shop.test.
long IN TXT ${Array.from({ length: 14 }, (_, n) => `"${String.fromCharCode(97 + n).repeat(220)}"`).join(" ")}
`;
