import { ENDPOINTS } from "../../src/app.ts";
import { type Endpoint, SURFACES } from "../../src/http/endpoint.ts";
import { describeApi } from "../../src/http/openapi.ts";
import { baseOf, nameOf, type OBJECTS } from "./examples.ts";
import type { JsonSchema } from "./generator.ts";

/** Where requests name objects: every parameter and member of a body that the OpenAPI document says is an id. */
export interface IdSlot {
  endpoint: Endpoint;
  place: "params" | "query" | "body";
  /** Dotted; `[]` stands for the elements of a list. */
  path: string;
  kind: IdSlotKind;
  /** It only has to be visible to the caller. */
  is_only_seen: boolean;
}
export type IdSlotKind =
  | keyof typeof OBJECTS
  | "user"
  | "update"
  | "delivery"
  | "contact"
  | "session"
  | "sign_in"
  | "passkey";

/** Of ids that the endpoint's own service resolves: what they name, by the last word of their place. */
const KINDS: Record<string, IdSlotKind> = {
  agent_id: "agent",
  group_id: "group",
  page: "page",
  webhook_id: "webhook",
  monitor_id: "monitor",
  target_id: "monitor",
  ids: "monitor",
  rule_id: "event rule",
  template_id: "incident template",
  incident_template_id: "incident template",
  user_id: "user",
  user_ids: "user",
  add_user_id: "user",
  remove_user_id: "user",
  assigned_to_id: "user",
  update_id: "update",
  delivery_id: "delivery",
};
/** The same for what is called `id` in a path. */
const THINGS: Record<string, IdSlotKind> = {
  "/user/api-tokens/": "token",
  "/user/views/": "saved_view",
  "/user/wall-links/": "wall_link",
  "/user/trusted-workflows/": "trusted_workflow",
  "/user/chat-accounts/": "chat_account",
  "/notifications/": "notification",
  "/notify-contacts/": "contact",
  "/auth/sessions/": "session",
  "/auth/sign-ins/": "sign_in",
  "/auth/passkeys/": "passkey",
  "/deactivated-accounts/": "user",
};

interface Described {
  parameters?: { name: string; in: string; schema: JsonSchema }[];
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
}
type Schema = Omit<JsonSchema, "items" | "properties" | "anyOf" | "oneOf" | "allOf" | "additionalProperties"> & {
  $ref?: string;
  format?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
};

const document = JSON.parse(JSON.stringify(describeApi(ENDPOINTS)));

/** Every id of the requests that users, or other callers, send to the API. */
export function listIdSlots(callers: readonly Endpoint["policy"]["auth"][] = ["user"]): IdSlot[] {
  return ENDPOINTS.filter(({ policy }) => callers.includes(policy.auth)).flatMap(slotsOf);
}

function slotsOf(endpoint: Endpoint): IdSlot[] {
  const [surface = "root"] = endpoint.policy.at;
  const described: Described = document.paths[SURFACES[surface] + endpoint.path][endpoint.method];
  const parameters = (described.parameters ?? [])
    .filter(({ schema }) => placesOfIds(schema).length > 0)
    .map(({ name, in: place }) => ({ place: place === "path" ? ("params" as const) : ("query" as const), path: name }));
  const bodies = Object.values(described.requestBody?.content ?? {}).flatMap(({ schema }) => placesOfIds(schema));
  const declared = (["query", "body"] as const).flatMap((place) =>
    Object.keys(endpoint.policy.ids?.[place] ?? {}).map((path) => ({ place, path })),
  );
  const found = [...parameters, ...declared, ...bodies.map((path) => ({ place: "body" as const, path }))];
  const once = new Map(found.map((slot) => [`${slot.place} ${slot.path}`, slot]));
  return [...once.values()].map(({ place, path }) => ({ endpoint, place, path, ...meaningOf(endpoint, place, path) }));
}

function meaningOf(endpoint: Endpoint, place: IdSlot["place"], path: string): Pick<IdSlot, "kind" | "is_only_seen"> {
  const declared = endpoint.policy.ids?.[place]?.[path];
  if (declared) return { kind: baseOf(declared), is_only_seen: declared.endsWith(":see") };
  const word = path.split(".").at(-1)?.replace("[]", "") ?? "";
  const [, thing] = Object.entries(THINGS).find(([start]) => endpoint.path.startsWith(start)) ?? [];
  const kind = word === "id" ? thing : KINDS[word];
  if (!kind) throw new Error(`say in id-slots.ts what ${place}.${path} of ${nameOf(endpoint)} names`);
  return { kind, is_only_seen: false };
}

/** The dotted places of all ids in a schema. */
function placesOfIds(schema: Schema, path = "", above: readonly Schema[] = []): string[] {
  if (schema.$ref) {
    const named = document.components.schemas[schema.$ref.split("/").at(-1) ?? ""];
    return above.includes(named) ? [] : placesOfIds(named, path, [...above, named]);
  }
  if (schema.format === "uuid") return [path];
  const within = (member: Schema, at: string) => placesOfIds(member, at, above);
  return [
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])].flatMap((each) =>
      within(each, path),
    ),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, each]) =>
      within(each, path === "" ? name : `${path}.${name}`),
    ),
    ...(schema.items ? within(schema.items, `${path}[]`) : []),
  ];
}
