import { createRoute, z } from "@hono/zod-openapi";
import { AgentProgram } from "../../contract/agent.ts";
import { notFound } from "../../contract/errors.ts";
import { type EndpointPolicy, endpoint, SURFACES } from "../../http/endpoint.ts";
import { json, OBJECT_ERRORS, PUBLIC_ERRORS } from "../../http/responses.ts";
import { readInstallScript, readProgram, readProgramManifest, readProgramSignature } from "./program.ts";

const tags = ["Agent uplink"];
const shared = {
  at: ["v1"],
  auth: "public",
  permission: null,
  audit: null,
  rate: "public",
} satisfies EndpointPolicy;
const CACHE_CONTROL = "public, max-age=300";
/** Where the program is downloaded; an installed agent asks for its signature there, too. */
const PROGRAM_PATH = "/agents/program/vigil-agent.mjs";

const text = (type: string) => ({ content: { [type]: { schema: z.string() } } });

export const endpoints = [
  endpoint(
    shared,
    createRoute({
      method: "get",
      path: "/agents/version",
      tags,
      summary: "Get the agent program that this service offers",
      responses: { 200: json("Version, checksum and address", AgentProgram), ...PUBLIC_ERRORS },
    }),
    async (c) => {
      const { version, sha256 } = await readProgramManifest(c.env);
      const url = `${c.var.publicUrl}${SURFACES.v1}${PROGRAM_PATH}`;
      return c.json({ version, sha256, url }, 200, { "Cache-Control": CACHE_CONTROL });
    },
  ),

  endpoint(
    shared,
    createRoute({
      method: "get",
      path: "/agents/install",
      tags,
      summary: "Download the script that installs an agent",
      description: "For a POSIX shell; `sh -s -- --help` explains its options.",
      responses: { 200: { description: "The script", ...text("text/x-shellscript") }, ...PUBLIC_ERRORS },
    }),
    async (c) =>
      c.body(await readInstallScript(c.env, c.var.publicUrl), 200, {
        "Content-Type": "text/x-shellscript; charset=utf-8",
        "Cache-Control": CACHE_CONTROL,
      }),
  ),

  endpoint(
    shared,
    createRoute({
      method: "get",
      path: PROGRAM_PATH,
      tags,
      summary: "Download the agent program",
      description: "One file for Node.js 20 and newer.",
      responses: { 200: { description: "The program", ...text("text/javascript") }, ...PUBLIC_ERRORS },
    }),
    async (c) =>
      c.body(await readProgram(c.env), 200, {
        "Content-Type": "text/javascript; charset=utf-8",
        "Cache-Control": CACHE_CONTROL,
      }),
  ),

  endpoint(
    shared,
    createRoute({
      method: "get",
      path: `${PROGRAM_PATH}.sig`,
      tags,
      summary: "Download the signature of the agent program",
      description: "Ed25519, in base64. 404 where the operator does not sign the program.",
      responses: { 200: { description: "The signature", ...text("text/plain") }, ...OBJECT_ERRORS },
    }),
    async (c) => {
      const signature = await readProgramSignature(c.env);
      if (signature === null) throw notFound("signature");
      return c.body(signature, 200, { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": CACHE_CONTROL });
    },
  ),
];
