import { eq, or } from "drizzle-orm";
import { accountLinks } from "../account-links/table.ts";
import { installTokens } from "../agents/table.ts";
import { chatAccounts } from "../chat-accounts/table.ts";
import { chatLinkTokens } from "../chat-links/table.ts";
import type { Db, Statement } from "../db.ts";
import { linkedSignIns } from "../linked-sign-ins/table.ts";
import { metricsTokens } from "../metrics-tokens/table.ts";
import { notifyContacts } from "../notify-contacts/table.ts";
import { calendarFeeds } from "../on-call/table.ts";
import { passkeys } from "../passkeys/table.ts";
import { passwords, sessions } from "../sessions/table.ts";
import { recoveryCodes, twoFactors } from "../two-factor/table.ts";
import { apiTokens, trustedWorkflows } from "../users/table.ts";
import { wallLinks } from "../wall-links/table.ts";

/** What programs act or read with in a person's name: API and metrics tokens, calendars, wall displays, what links agents and chats, and who acts in chats. */
const TOKENS = [
  { table: apiTokens, holder: apiTokens.user_id },
  { table: trustedWorkflows, holder: trustedWorkflows.user_id },
  { table: metricsTokens, holder: metricsTokens.user_id },
  { table: calendarFeeds, holder: calendarFeeds.user_id },
  { table: wallLinks, holder: wallLinks.user_id },
  { table: installTokens, holder: installTokens.created_by },
  { table: chatLinkTokens, holder: chatLinkTokens.created_by },
  { table: chatAccounts, holder: chatAccounts.user_id },
];
/** These, what a person signs in with, where they are signed in, and where alerts to them go. */
export const CREDENTIALS = [
  ...TOKENS,
  { table: passwords, holder: passwords.user_id },
  { table: sessions, holder: sessions.user_id },
  { table: accountLinks, holder: accountLinks.user_id },
  { table: passkeys, holder: passkeys.user_id },
  { table: twoFactors, holder: twoFactors.user_id },
  { table: recoveryCodes, holder: recoveryCodes.user_id },
  { table: linkedSignIns, holder: linkedSignIns.user_id },
  { table: notifyContacts, holder: notifyContacts.user_id },
];

export function deleteTokensOf(db: Db, userId: string): Statement[] {
  return TOKENS.map(({ table, holder }) => db.delete(table).where(eq(holder, userId)));
}

/** Of install tokens also those that others made for the account: they end with it. */
export function deleteCredentialsOf(db: Db, userId: string): Statement[] {
  return CREDENTIALS.map(({ table, holder }) => {
    const isHeld = eq(holder, userId);
    return db.delete(table).where(table === installTokens ? or(isHeld, eq(installTokens.owner_id, userId)) : isHeld);
  });
}
