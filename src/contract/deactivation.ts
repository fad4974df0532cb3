import { z } from "zod";
import { Id, Instant } from "./common.ts";
import { Email } from "./member.ts";
import { Notice } from "./notices.ts";

export const Deactivation = z.object({ email: Email.meta({ description: "of the account" }) });

export const DeactivatedAccount = z
  .object({ id: Id, email: z.string(), name: z.string(), deactivated_at: Instant })
  .meta({ id: "DeactivatedAccount" });

export const Deactivated = DeactivatedAccount.extend({
  notices: z.array(Notice).meta({ description: "what they had set up for status pages, and where nobody is on call" }),
}).meta({ id: "Deactivated" });
