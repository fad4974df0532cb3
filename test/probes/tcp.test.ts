import { tcpProbe } from "../../src/probes/tcp.ts";
import { describeProbe } from "../support/probe-contract.ts";

describeProbe({
  probe: tcpProbe,
  target: (port) => `127.0.0.1:${port}`,
  silence: "success",
  garbage: "success",
  letters: "success",
});
