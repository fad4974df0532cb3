import { requireVisiblePage } from "../../access/pages.ts";
import { openRuleContent } from "../../access/rule-content.ts";
import type { RequestScope } from "../../access/scope.ts";
import { type ErrorDetail, invalid } from "../../contract/errors.ts";
import type { EventRuleContent, StoredRuleContent } from "../../contract/event-rule.ts";
import { isEventName, KNOWN_EVENT_NAMES, RULE_EVENT_NAMES } from "../../contract/events.ts";
import { SECRET_PLACEHOLDER } from "../../contract/webhook.ts";
import type { StatusPageRecord } from "../../data/status-pages/read.ts";
import { findContentFlaw, listReferencedIds } from "../../domain/event-rule-content.ts";
import { hasPermission } from "../../domain/roles.ts";
import { findReferenceFlaws } from "./references.ts";

/** The content as the caller may see it: chat addresses are for callers that may change alerting. */
export async function showContent(
  ctx: RequestScope,
  rule: { id: string; status_page_id: string },
  stored: StoredRuleContent,
): Promise<EventRuleContent> {
  const { membership } = await requireVisiblePage(ctx, rule.status_page_id);
  const content = await openRuleContent(ctx.settings, rule.id, stored);
  return hasPermission(membership, "alerting.write") ? content : maskChannels(content);
}

export function maskChannels(content: EventRuleContent): EventRuleContent {
  const masked = Object.keys(content.alert_channels).map((name) => [name, SECRET_PLACEHOLDER]);
  return { ...content, alert_channels: Object.fromEntries(masked) };
}

interface Draft {
  content: EventRuleContent;
  /** The rule before the change; what it names already is not looked up again. */
  current: EventRuleContent | null;
  /** Before the wire paths of an import: `rules[0].`. */
  prefix: string;
}

/** The contents that may be stored, with stored channels in the place of `***`; otherwise 400 with all flaws. */
export async function requireSoundContents(
  ctx: RequestScope,
  page: StatusPageRecord,
  drafts: readonly Draft[],
): Promise<EventRuleContent[]> {
  const restored = drafts.map((draft) => ({ ...draft, ...restoreChannels(draft) }));
  const references = restored.flatMap(({ content, current, prefix }) => {
    const kept = new Set(current ? listReferencedIds(current).map(({ kind, id }) => `${kind} ${id}`) : []);
    return listReferencedIds(content, prefix).filter(({ kind, id }) => !kept.has(`${kind} ${id}`));
  });
  const flaws = [
    ...restored.flatMap(({ flaw }) => flaw ?? []),
    ...restored.flatMap(({ content, prefix }) => {
      const flaw = findContentFlaw(content, (name) => KNOWN_EVENT_NAMES.has(name)) ?? findUnheardFlaw(content);
      return flaw ? [{ path: `${prefix}${flaw.path}`, message: flaw.message }] : [];
    }),
    ...(await findReferenceFlaws(ctx, page, references)),
  ];
  const [first] = flaws;
  if (first) throw invalid(`${first.path} ${first.message}`, flaws);
  return restored.map(({ content }) => content);
}

function findUnheardFlaw({ event_name }: EventRuleContent): ErrorDetail | null {
  const isHeard = !isEventName(event_name) || RULE_EVENT_NAMES.includes(event_name);
  return isHeard ? null : { path: "event_name", message: `must not be ${event_name}, to which no rule can listen` };
}

function restoreChannels({ content, current, prefix }: Draft): { content: EventRuleContent; flaw?: ErrorDetail } {
  const channels: [string, string][] = [];
  const stored = new Map(Object.entries(current?.alert_channels ?? {}));
  for (const [name, channel] of Object.entries(content.alert_channels)) {
    const kept = channel === SECRET_PLACEHOLDER ? stored.get(name) : channel;
    if (kept === undefined) {
      return { content, flaw: { path: `${prefix}alert_channels`, message: `has no stored channel for ${name}` } };
    }
    channels.push([name, kept]);
  }
  return { content: { ...content, alert_channels: Object.fromEntries(channels) } };
}
