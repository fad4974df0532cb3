import { getTableName, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { escalationNotifications } from "../escalations/table.ts";
import { eventRules, eventRuleVersions } from "../event-rules/table.ts";
import { mailOutbox } from "../mail/table.ts";
import { monitors } from "../monitors/table.ts";
import { applicationKeys, contactMessages, notifyContacts } from "../notify-contacts/table.ts";
import { escalationPolicies } from "../on-call/table.ts";
import { providerSessions } from "../provider-sessions/table.ts";
import { secrets } from "../secrets/table.ts";
import { signInProviders } from "../sign-in-providers/table.ts";
import { subscribers } from "../subscribers/table.ts";
import { twoFactors } from "../two-factor/table.ts";
import { webhooks } from "../webhooks/table.ts";

/** Where sealed values are stored. */
export interface SealedColumn {
  name: string;
  table: SQLiteTable;
  /** The id that the value is bound to. */
  bound_to: SQLiteColumn;
  value: SQL;
  /** What an update sets for a new value. */
  change(sealed: string): Record<string, unknown>;
}

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  plain(monitors, monitors.id, monitors.sealed),
  plain(secrets, secrets.id, secrets.sealed),
  plain(webhooks, webhooks.id, webhooks.sealed),
  plain(eventRules, eventRules.id, eventRules.sealed_channels),
  {
    name: getTableName(eventRuleVersions),
    table: eventRuleVersions,
    bound_to: eventRuleVersions.rule_id,
    value: sql`json_extract(${eventRuleVersions.content}, '$.sealed_channels')`,
    change: (sealed) => ({
      content: sql`json_set(${eventRuleVersions.content}, '$.sealed_channels', ${sealed})`,
    }),
  },
  plain(escalationPolicies, escalationPolicies.id, escalationPolicies.sealed_steps),
  plain(escalationNotifications, escalationNotifications.id, escalationNotifications.sealed),
  plain(notifyContacts, notifyContacts.id, notifyContacts.sealed),
  plain(contactMessages, contactMessages.id, contactMessages.sealed),
  plain(applicationKeys, applicationKeys.id, applicationKeys.sealed),
  plain(subscribers, subscribers.id, subscribers.sealed),
  plain(twoFactors, twoFactors.user_id, twoFactors.sealed_secret),
  plain(signInProviders, signInProviders.id, signInProviders.sealed),
  plain(providerSessions, providerSessions.session_id, providerSessions.sealed),
  plain(mailOutbox, mailOutbox.id, mailOutbox.sealed),
];

function plain(table: SQLiteTable, bound_to: SQLiteColumn, column: SQLiteColumn): SealedColumn {
  const change = (sealed: string) => ({ [column.name]: sealed });
  return { name: getTableName(table), table, bound_to, value: sql`${column}`, change };
}

/** Notifications of nobody have an empty value. */
export function isOutdated({ value }: SealedColumn, prefix: string): SQL {
  return sql`${value} <> '' AND substr(${value}, 1, ${prefix.length}) <> ${prefix}`;
}
