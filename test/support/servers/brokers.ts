import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { type RunningServer, startServer } from "./run-server.ts";

/** Open on `plain` and `tls`; on `locked` only for `vigil:secret`, who may not read below `private/`. */
export function startMosquitto(): Promise<RunningServer> {
  return startServer({
    ports: ["plain", "tls", "locked"],
    prepare: ({ dir, run, write }, { plain, tls, locked }) => {
      write("acl", "user vigil\ntopic readwrite public/#\n");
      run("mosquitto_passwd", ["-b", "-c", `${dir}/passwords`, "vigil", "secret"]);
      const config = [
        "per_listener_settings true",
        "user root",
        `listener ${plain} 127.0.0.1\nallow_anonymous true`,
        `listener ${tls} 127.0.0.1\nallow_anonymous true\ncertfile ${dir}/cert.pem\nkeyfile ${dir}/key.pem`,
        `listener ${locked} 127.0.0.1\nallow_anonymous false\npassword_file ${dir}/passwords\nacl_file ${dir}/acl`,
      ];
      return { command: "mosquitto", args: ["-c", write("mosquitto.conf", `${config.join("\n")}\n`)] };
    },
  });
}

/** With the user `guest:guest`; `management` is the HTTP API. */
export async function startRabbitmq(): Promise<RunningServer> {
  const server = await startServer({
    ports: ["amqp", "management", "distribution", "epmd"],
    prepare: ({ dir, write }, { amqp, management, distribution, epmd }) => {
      const config = write(
        "rabbitmq.conf",
        `listeners.tcp.1 = 127.0.0.1:${amqp}\nmanagement.tcp.ip = 127.0.0.1\nmanagement.tcp.port = ${management}\n`,
      );
      const settings = {
        HOME: dir,
        RABBITMQ_NODENAME: "vigil@localhost",
        RABBITMQ_DIST_PORT: distribution,
        ERL_EPMD_PORT: epmd,
        RABBITMQ_MNESIA_BASE: `${dir}/mnesia`,
        RABBITMQ_LOG_BASE: `${dir}/log`,
        RABBITMQ_LOGS: "-",
        RABBITMQ_CONFIG_FILE: config,
        RABBITMQ_ENABLED_PLUGINS_FILE: write("plugins", "[rabbitmq_management]."),
      };
      const env = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
      return { command: "env", args: [...env, "/usr/lib/rabbitmq/bin/rabbitmq-server"] };
    },
  });
  // The name server of Erlang's nodes outlives the one that started it.
  const stop = async () => {
    await server.stop();
    spawnSync("epmd", ["-port", String(server.ports.epmd), "-kill"]);
  };
  return { ...server, stop };
}

/** A cluster of so many brokers without topics, as librdkafka imitates one; its address is in what it prints. */
export async function startKafka(brokers: number): Promise<{ address: string; stop(): void }> {
  const args = ["-P", "-b", "none", "-t", "x", "-X", `test.mock.num.brokers=${brokers}`, "-X", "debug=mock"];
  const child: ChildProcess = spawn("kcat", args, { stdio: ["pipe", "ignore", "pipe"] });
  const address = await new Promise<string>((resolve, reject) => {
    let said = "";
    child.once("error", reject);
    child.once("close", () => reject(new Error(`kcat ended: ${said}`)));
    child.stderr?.on("data", (text) => {
      said += text;
      const found = /bootstrap\.servers=([\d.:,]+)/.exec(said)?.[1];
      if (found) resolve(found);
    });
  });
  child.removeAllListeners("close");
  return { address, stop: () => void child.kill("SIGKILL") };
}
