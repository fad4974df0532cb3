import { createRoute, z } from "@hono/zod-openapi";
import {
  ApplicationKey,
  NotifyContact,
  NotifyContactCreate,
  NotifyContactVerify,
} from "../../contract/notify-contact.ts";
import { endpoint } from "../../http/endpoint.ts";
import { ListQuery, setListHeaders } from "../../http/lists.ts";
import { BODY_ERRORS, IdParam, json, jsonBody, noContent, OBJECT_ERRORS, USER_ERRORS } from "../../http/responses.ts";
import { presentContact } from "./present.ts";
import { createContact, listContacts, readApplicationKey, removeContact, verifyContact } from "./service.ts";

const tags = ["Account"];
const shared = { at: ["v1"], auth: "user", permission: null } as const;

export const endpoints = [
  endpoint(
    { ...shared, audit: null, rate: "api", token: "account" },
    createRoute({
      method: "get",
      path: "/notify-contacts",
      tags,
      summary: "List your contacts",
      request: { query: ListQuery },
      responses: { 200: json("Your contacts, newest first", z.array(NotifyContact)), ...USER_ERRORS },
    }),
    async (c) => {
      const page = c.req.valid("query");
      const { rows, total } = await listContacts(c.var.ctx, page);
      setListHeaders(c, page, total);
      return c.json(rows.map(presentContact), 200);
    },
  ),

  endpoint(
    { ...shared, audit: null, rate: "api", token: "account" },
    createRoute({
      method: "get",
      path: "/notify-contacts/application-key",
      tags,
      summary: "Get the key with which browsers subscribe to alerts",
      description: "The same for all of the installation. It is the applicationServerKey of the Push API.",
      responses: { 200: json("The public key", ApplicationKey), ...USER_ERRORS },
    }),
    async (c) => c.json(await readApplicationKey(c.var.ctx), 200),
  ),

  endpoint(
    { ...shared, audit: "notify_contact.created", rate: "webhook_test" },
    createRoute({
      method: "post",
      path: "/notify-contacts",
      tags,
      summary: "Add a contact",
      description:
        "Sends the contact a code of 8 digits, which verifies it within 24 hours. The dashboard's service worker sends that of a browser back by itself.",
      request: { body: jsonBody(NotifyContactCreate) },
      responses: { 201: json("The contact, not verified", NotifyContact), ...USER_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => c.json(presentContact(await createContact(c.var.ctx, c.req.valid("json"))), 201),
  ),

  endpoint(
    { ...shared, audit: "notify_contact.verified", rate: "webhook_test" },
    createRoute({
      method: "post",
      path: "/notify-contacts/{id}/verify",
      tags,
      summary: "Verify a contact by its code",
      request: { params: IdParam, body: jsonBody(NotifyContactVerify) },
      responses: { 200: json("The contact", NotifyContact), ...OBJECT_ERRORS, ...BODY_ERRORS },
    }),
    async (c) => {
      const verified = await verifyContact(c.var.ctx, c.req.valid("param").id, c.req.valid("json").code);
      return c.json(presentContact(verified), 200);
    },
  ),

  endpoint(
    { ...shared, audit: "notify_contact.deleted", rate: "api" },
    createRoute({
      method: "delete",
      path: "/notify-contacts/{id}",
      tags,
      summary: "Delete a contact",
      request: { params: IdParam },
      responses: { ...noContent, ...OBJECT_ERRORS },
    }),
    async (c) => {
      await removeContact(c.var.ctx, c.req.valid("param").id);
      return c.body(null, 204);
    },
  ),
];
