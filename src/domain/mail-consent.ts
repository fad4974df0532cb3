import type { Plan } from "../contract/plan.ts";

/** What is known of mail on behalf of an account to an address. */
interface Standing {
  plan: Plan;
  /** It is the proven address of the account, or of a member of its pages. */
  is_team: boolean;
  /** Its reader agreed to mail of the account, or of a member of its pages. */
  is_agreed: boolean;
  /** Its reader wants no mail of the account. */
  is_stopped: boolean;
}

/**
 * Whether mail may go there. `team`: to colleagues. `outside`: to somebody else who may be written to. `unanswered`: to
 * nobody, before its reader agrees. `stopped`: to nobody.
 * On the plan of an operator's own installation nobody is asked: its accounts are not strangers. A reader's wish to have no
 * more mail counts on every plan.
 */
export type MailVerdict = "team" | "outside" | "unanswered" | "stopped";

export function judgeMail({ plan, is_team, is_agreed, is_stopped }: Standing): MailVerdict {
  if (is_stopped) return "stopped";
  if (is_team) return "team";
  return is_agreed || plan === "self_hosted" ? "outside" : "unanswered";
}
