import { createNodeIo } from "../../src/agent/node-io.ts";

/** The network as an agent reaches it: lets a probe meet a real server in a test. */
export const nodeIo = createNodeIo();
