import type { z } from "zod";
import type { AcceptedMember, Invitation, Member, Seats } from "../../contract/member.ts";
import type { InvitationRecord } from "../../data/invitations/read.ts";
import type { MemberListEntry, NamedMember } from "../../data/members/read.ts";
import { toIso } from "../../platform/clock.ts";
import type { SeatCount } from "./service.ts";

export function presentEntry(entry: MemberListEntry): z.infer<typeof Member> {
  return {
    id: entry.id,
    user_id: entry.user_id,
    email: entry.email,
    name: entry.name,
    role: entry.role,
    capabilities: entry.capabilities,
    status: entry.status,
    invitation_id: entry.invitation_id,
    created_at: toIso(entry.created_at),
    updated_at: toIso(entry.updated_at),
  };
}

export function presentMember(member: NamedMember): z.infer<typeof Member> {
  return presentEntry({ ...member, status: "active" });
}

export function presentAccepted(member: NamedMember): z.infer<typeof AcceptedMember> {
  const { id, user_id, email, name, role, capabilities, status, invitation_id, created_at, updated_at } =
    presentMember(member);
  const status_page_id = member.status_page_id;
  return {
    id,
    user_id,
    status_page_id,
    email,
    name,
    role,
    capabilities,
    status,
    invitation_id,
    created_at,
    updated_at,
  };
}

export function presentInvitation({ record, accept_url }: { record: InvitationRecord; accept_url: string | null }) {
  const invitation: z.infer<typeof Invitation> = {
    id: record.id,
    email: record.email,
    role: record.role,
    capabilities: record.capabilities,
    status: record.accepted_at === null ? "pending" : "accepted",
    expires_at: toIso(record.expires_at),
    accept_url,
    created_at: toIso(record.created_at),
    updated_at: toIso(record.updated_at),
  };
  return invitation;
}

export function presentSeats({ members, pending_invitations, limit }: SeatCount): z.infer<typeof Seats> {
  return { used: members + pending_invitations, limit, members, pending_invitations };
}
