import { createHmac } from "node:crypto";
import { expect } from "vitest";
import { z } from "zod";
import type { Account } from "./factories.ts";
import { createVisitor, type Visit } from "./pages.ts";
import type { Received, Sink } from "./sink.ts";
import { createWebhook } from "./webhooks.ts";

/** Where the service under test is reached. */
export const PUBLIC_URL = "https://vigil.test";
/** In the place of https://api.twilio.com. */
const API = "https://sink.test/twilio";
const Phone = z.string().regex(/^\+[1-9]\d{6,14}$/);

/** https://www.twilio.com/docs/messaging/api/message-resource#create-a-message-resource */
const Message = z.strictObject({ To: Phone, From: Phone, Body: z.string().min(1).max(1600) });
/** https://www.twilio.com/docs/voice/api/call-resource#create-a-call-resource */
const Call = z.strictObject({
  To: Phone,
  From: Phone,
  Twiml: z.string().max(4000).refine(isTwiml),
  StatusCallback: z.url({ protocol: /^https$/ }).optional(),
  StatusCallbackMethod: z.enum(["GET", "POST"]).optional(),
  Timeout: z
    .string()
    .regex(/^\d{1,3}$/)
    .optional(),
});

/** https://www.twilio.com/docs/voice/twiml: well-formed, of these verbs alone, a Gather holding Say and Pause. */
function isTwiml(value: string): boolean {
  if (/&(?!amp;|lt;|gt;|quot;|apos;)|\p{Cc}/u.test(value)) return false;
  const spoken = '(?:<Say>[^<>]+</Say>|<Pause length="\\d"/>)';
  const gather = `<Gather numDigits="\\d" timeout="\\d+" method="POST" action="https:[^"<>]+">${spoken}+</Gather>`;
  return new RegExp(`^<Response>(?:${spoken}|${gather})+</Response>$`).test(value);
}

/** What differs from an honest call; `limits` are the service's. */
interface Forged {
  token?: string;
  url?: string;
  limits?: string;
}

export interface Twilio {
  channel: { id: string };
  sent: Record<string, string>[];
  /** What the next requests are answered, in place of being accepted. */
  refuse(...answers: Response[]): void;
  /** Calls back as Twilio does, signed by the token of the account. */
  callBack(path: string, fields: Record<string, string>, forged?: Forged): Promise<Visit>;
}

let accounts = 0;

/** A Twilio channel of an account, and the account at Twilio that it belongs to. */
export async function setUpTwilio(
  sink: Sink,
  owner: Account,
  { kind = "sms", ...config }: { kind?: "sms" | "voice" } & Record<string, unknown> = {},
): Promise<Twilio> {
  accounts += 1;
  const sid = `AC${String(accounts).padStart(32, "0")}`;
  const token = `token-of-${sid}`;
  const channel = await createWebhook(owner, {
    name: "Telephones",
    provider: `twilio_${kind}`,
    url: API,
    events: JSON.stringify([]),
    config: {
      account_sid: sid,
      auth_token: token,
      from: "+15005550006",
      people_monthly_max: "50",
      people_countries: "+49",
      ...config,
    },
  });
  const sent: Record<string, string>[] = [];
  const answers: Response[] = [];
  const resource = kind === "sms" ? "Messages" : "Calls";
  sink.serve(`${API}/2010-04-01/Accounts/${sid}/${resource}.json`, (request) => {
    const refusal = answers.shift() ?? findRefusal(request, { sid, token });
    if (refusal) return refusal;
    const fields = Object.fromEntries(new URLSearchParams(request.body));
    const parsed = (kind === "sms" ? Message : Call).safeParse(fields);
    if (!parsed.success) return Response.json({ code: 21211, message: parsed.error.message }, { status: 400 });
    sent.push(fields);
    return Response.json(
      { sid: `${kind === "sms" ? "SM" : "CA"}${String(sent.length).padStart(32, "0")}` },
      { status: 201 },
    );
  });
  return {
    channel,
    sent,
    refuse: (...more) => void answers.push(...more),
    callBack(path, fields, forged = {}) {
      const form = new URLSearchParams({ AccountSid: sid, ...fields });
      const signed = [...form].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => `${name}${value}`);
      const mac = createHmac("sha1", forged.token ?? token).update(
        `${forged.url ?? `${PUBLIC_URL}${path}`}${signed.join("")}`,
      );
      return createVisitor({ PUBLIC_URL, ...(forged.limits !== undefined && { RATE_LIMITS: forged.limits }) })(
        path,
        { "x-twilio-signature": mac.digest("base64"), "content-type": "application/x-www-form-urlencoded" },
        { method: "POST", body: form.toString() },
      );
    },
  };
}

function findRefusal({ headers, method }: Received, { sid, token }: { sid: string; token: string }): Response | null {
  if (method !== "POST") return new Response(null, { status: 405 });
  if (!headers.get("content-type")?.startsWith("application/x-www-form-urlencoded"))
    return new Response(null, { status: 415 });
  const expected = `Basic ${btoa(`${sid}:${token}`)}`;
  return headers.get("authorization") === expected ? null : Response.json({ code: 20003 }, { status: 401 });
}

export const digitsIn = (text: string | undefined) => {
  const [code] = /\d{8}/.exec((text ?? "").replace(/(?<=\d), /g, "")) ?? [];
  expect(code).toBeDefined();
  return code ?? "";
};
