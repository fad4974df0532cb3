import { z } from "zod";
import { Id, Instant, Name } from "./common.ts";
import { Notice } from "./notices.ts";
import { NewPassword } from "./session.ts";

/** The role owner is not granted: it belongs to the owner of the page. */
export const GRANTED_ROLES = ["admin", "editor", "viewer", "custom"] as const;
export type GrantedRole = (typeof GRANTED_ROLES)[number];

/** What a custom member may be given one by one. */
export const CAPABILITIES = [
  "monitors.write",
  "incidents.write",
  "maintenance.write",
  "page.write",
  "alerting.write",
  "events.write",
  "oncall.write",
  "sla.write",
  "agents.write",
  "members.manage",
  "secrets.read",
] as const;
export type Capability = (typeof CAPABILITIES)[number];

const EMAIL_LENGTH_MAX = 254;
/** Addresses are compared without regard to case, as mail systems do. */
export const Email = z.string().trim().toLowerCase().max(EMAIL_LENGTH_MAX).pipe(z.email("must be an e-mail address"));

const grant = {
  role: z.enum(GRANTED_ROLES),
  capabilities: z
    .array(z.enum(CAPABILITIES))
    .max(CAPABILITIES.length)
    .nullish()
    .meta({ description: "for the role custom only; it includes the permissions of a viewer" }),
};
export const MemberInvite = z
  .object({
    email: Email,
    ...grant,
    name: Name.nullish(),
    password: NewPassword.nullish(),
    confirmed: z.boolean().nullish().meta({
      description:
        "with a password, and for the owner only: creates an account for an address without one, which is a member at once",
    }),
  })
  .refine(({ role, capabilities }) => role === "custom" || !capabilities?.length, {
    path: ["capabilities"],
    message: "are for the role custom only",
  })
  .meta({ id: "MemberInvite" });
export type MemberInvite = z.infer<typeof MemberInvite>;

export const MemberUpdate = z
  .object({
    role: grant.role.optional(),
    capabilities: grant.capabilities.meta({
      description: "of the role custom; another role removes them",
    }),
  })
  .meta({ id: "MemberUpdate" });
export type MemberUpdate = z.infer<typeof MemberUpdate>;

/** Where the removed person was the last one on call, and what they had set up. */
export const MemberRemoval = z.object({ notices: z.array(Notice) }).meta({ id: "MemberRemoval" });

export const InvitationAccept = z
  .object({
    token: z.string().trim().min(1).max(200),
    name: Name.nullish(),
    password: NewPassword.nullish(),
  })
  .meta({ id: "InvitationAccept" });
export type InvitationAccept = z.infer<typeof InvitationAccept>;

const role = z.enum(GRANTED_ROLES);
const capabilities = z.array(z.enum(CAPABILITIES));

export const Invitation = z
  .object({
    id: Id,
    email: z.string(),
    role,
    capabilities,
    status: z.enum(["pending", "accepted"]),
    expires_at: Instant,
    accept_url: z.string().nullable().meta({ description: "shown in this response only; null once accepted" }),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Invitation" });

export const Member = z
  .object({
    id: Id.meta({ description: "of the membership; of the invitation while that is pending" }),
    user_id: Id.nullable(),
    email: z.string(),
    name: z.string().nullable(),
    role,
    capabilities,
    status: z.enum(["active", "pending"]),
    invitation_id: Id.nullable(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Member" });

export const ChangedMember = Member.extend({
  notices: z.array(Notice).meta({ description: "what the member set up and may not answer for any more" }),
}).meta({ id: "ChangedMember" });

export const AcceptedMember = Member.extend({ status_page_id: Id }).meta({ id: "AcceptedMember" });

export const Seats = z
  .object({
    used: z.number().int(),
    limit: z.number().int().nullable().meta({ description: "of the owner's plan; null: no limit" }),
    members: z.number().int(),
    pending_invitations: z.number().int(),
  })
  .meta({ id: "Seats" });
