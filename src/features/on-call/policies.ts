import { listLostTargets, resolveTargets } from "../../access/alert-targets.ts";
import { commit } from "../../access/commit.ts";
import { findIdempotentResult } from "../../access/idempotency.ts";
import { requirePage, requireVisiblePage, requireVisiblePages } from "../../access/pages.ts";
import { requireUser } from "../../access/principal.ts";
import { requireEscalationPolicy } from "../../access/resources.ts";
import type { RequestScope } from "../../access/scope.ts";
import { conflict, invalid, notFound } from "../../contract/errors.ts";
import type { Notice } from "../../contract/notices.ts";
import {
  type EscalationContact,
  type EscalationPolicyChange,
  type EscalationPolicyCreate,
  StoredEscalationStep,
} from "../../contract/on-call.ts";
import type { Pagination } from "../../contract/pagination.ts";
import type { Statement } from "../../data/db.ts";
import {
  type EscalationPolicyRecord,
  findActivePolicy,
  listEscalationPolicies,
  listPoliciesOn,
} from "../../data/on-call/read.ts";
import {
  deactivatePolicies,
  deleteEscalationPolicy,
  hasPolicies,
  insertEscalationPolicy,
  updateEscalationPolicy,
} from "../../data/on-call/write.ts";
import { listUsers } from "../../data/users/read.ts";
import {
  hostOfContact,
  listNotices,
  type NamedReceiver,
  receiverOfContact,
  SAME_HOST,
} from "../../delivery/consent.ts";
import { isLimited } from "../../delivery/host-limits.ts";
import { askReaders } from "../../delivery/outside-mail.ts";
import { maskUrl } from "../../delivery/webhook-config.ts";
import { completeSteps } from "../../domain/escalation.ts";
import { hasPermission } from "../../domain/roles.ts";
import { changedMembers, replaced } from "../../lib/merge-field.ts";
import { newId } from "../../platform/ids.ts";
import { seal, unseal } from "../../platform/seal.ts";
import { requireContacts } from "./references.ts";

const POLICIES_MAX = 100;
/** Of all pages of a person together. */
const OPENED_MAX = 1000;

/** A policy under the address of its page. */
interface Named {
  id: string;
  policy_id: string;
}

/** A policy with its steps as the caller may see them. */
export interface ShownPolicy {
  policy: EscalationPolicyRecord;
  steps: StoredEscalationStep[];
  /** Contacts to which nothing can be sent yet. */
  notices?: Notice[];
}

export async function listPolicies(ctx: RequestScope, pageIds: readonly string[], pagination: Pagination) {
  await requireVisiblePages(ctx, pageIds);
  const { rows, total } = await listEscalationPolicies(ctx.db, pageIds, pagination);
  return { rows: await showAll(ctx, rows), total };
}

export async function findShownActivePolicy(ctx: RequestScope, pageId: string): Promise<ShownPolicy | null> {
  const policy = await findActivePolicy(ctx.db, pageId);
  return policy ? show(ctx, policy) : null;
}

export async function createPolicy(
  ctx: RequestScope,
  pageId: string,
  input: EscalationPolicyCreate,
): Promise<ShownPolicy> {
  const page = await requirePage(ctx, pageId);
  const earlier = await findIdempotentResult(ctx);
  if (earlier) return show(ctx, await getPolicy(ctx, { id: page.id, policy_id: earlier }));
  const steps = completeSteps(input.steps);
  await requireContacts(ctx, page, input);
  const id = newId();
  const policy: EscalationPolicyRecord = {
    id,
    owner_id: page.owner_id,
    created_by: requireUser(ctx).user_id,
    status_page_id: page.id,
    name: input.name,
    is_default: input.is_default ?? false,
    sealed_steps: await seal(ctx.settings.ROOT_SECRET, id, steps),
    repeat_count: input.repeat_count ?? 0,
    targets: await resolveTargets(ctx, limitsOf({ status_page_id: page.id, targets: null }), input),
    position: input.position ?? 0,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  const question = await askReaders(ctx, receiversOf({ policy, steps }));
  const statements = [...becomeOnlyActive(ctx, policy), insertEscalationPolicy(ctx.db, policy), ...question.statements];
  await write(ctx, policy, "created", statements);
  ctx.defer(question.wake());
  return show(ctx, policy);
}

export async function changePolicy(
  ctx: RequestScope,
  named: Named,
  input: EscalationPolicyChange,
): Promise<ShownPolicy> {
  const page = await requirePage(ctx, named.id);
  const current = await getPolicy(ctx, named);
  const stored = await openSteps(ctx, current);
  const steps = input.steps === undefined ? stored : completeSteps(keepMasked(input.steps, stored));
  if (input.steps !== undefined) await requireContacts(ctx, page, { steps }, { steps: stored });
  const policy: EscalationPolicyRecord = {
    ...current,
    name: input.name ?? current.name,
    is_default: replaced(input.is_default, current.is_default, false),
    ...(input.steps !== undefined && { sealed_steps: await seal(ctx.settings.ROOT_SECRET, current.id, steps) }),
    repeat_count: replaced(input.repeat_count, current.repeat_count, 0),
    targets: await resolveTargets(ctx, limitsOf(current), input),
    position: replaced(input.position, current.position, 0),
    updated_at: ctx.now,
  };
  const change = { ...changedMembers(current, policy), id: policy.id, updated_at: ctx.now };
  const activation = change.is_default ? becomeOnlyActive(ctx, policy) : [];
  const question = await askReaders(ctx, receiversOf({ policy, steps }));
  const statements = [...activation, updateEscalationPolicy(ctx.db, change), ...question.statements];
  await write(ctx, policy, "changed", statements);
  ctx.defer(question.wake());
  return show(ctx, policy);
}

export async function removePolicy(ctx: RequestScope, named: Named): Promise<void> {
  const policy = await getPolicy(ctx, named);
  await write(ctx, policy, "deleted", [deleteEscalationPolicy(ctx.db, policy.id)]);
}

/** Makes a policy the active one of its page. */
export async function activatePolicy(ctx: RequestScope, { id, policy_id }: Named): Promise<void> {
  const current = await requireEscalationPolicy(ctx, policy_id);
  if (current.status_page_id !== id) throw invalid("policy_id must be an escalation policy of the status page");
  const change = { is_default: true, updated_at: ctx.now };
  const policy = { ...current, ...change };
  const activation = updateEscalationPolicy(ctx.db, { id: policy.id, ...change });
  await write(ctx, policy, "activated", [...becomeOnlyActive(ctx, policy), activation]);
}

/** Afterwards incidents of the page do not escalate; a page without an active policy is unchanged. */
export async function deactivatePolicy(ctx: RequestScope, pageId: string): Promise<void> {
  const page = await requirePage(ctx, pageId);
  const policy = await findActivePolicy(ctx.db, page.id);
  if (policy) await write(ctx, policy, "deactivated", [deactivatePolicies(ctx.db, page.id, { now: ctx.now })]);
}

function limitsOf({ status_page_id, targets }: Pick<EscalationPolicyRecord, "status_page_id" | "targets">) {
  const mayName = (named: { status_page_id: string | null }) => named.status_page_id === status_page_id;
  return { targets, mayName, whose: "the status page" };
}

function becomeOnlyActive(ctx: RequestScope, policy: EscalationPolicyRecord): Statement[] {
  if (!policy.is_default) return [];
  return [deactivatePolicies(ctx.db, policy.status_page_id, { keptId: policy.id, now: ctx.now })];
}

async function getPolicy(ctx: RequestScope, { id, policy_id }: Named): Promise<EscalationPolicyRecord> {
  const policy = await requireEscalationPolicy(ctx, policy_id);
  if (policy.status_page_id !== id) throw notFound("escalation policy");
  return policy;
}

async function openSteps(ctx: RequestScope, policy: EscalationPolicyRecord): Promise<StoredEscalationStep[]> {
  const steps = await unseal(ctx.settings.ROOT_SECRET, policy.id, policy.sealed_steps);
  return StoredEscalationStep.array().parse(steps);
}

/** All policies of these pages, with their steps as they are stored. */
export async function listOpenPolicies(ctx: RequestScope, pageIds: readonly string[]): Promise<ShownPolicy[]> {
  const rows = await listPoliciesOn(ctx.db, pageIds, OPENED_MAX);
  return Promise.all(rows.map(async (policy) => ({ policy, steps: await openSteps(ctx, policy) })));
}

/** Chat and webhook addresses are credentials; members without alerting.write see only where they lead. */
async function show(ctx: RequestScope, policy: EscalationPolicyRecord): Promise<ShownPolicy> {
  const [shown] = await showAll(ctx, [policy]);
  if (!shown) throw new Error("one policy is shown as one");
  return shown;
}

async function showAll(ctx: RequestScope, policies: readonly EscalationPolicyRecord[]): Promise<ShownPolicy[]> {
  const opened = await Promise.all(
    policies.map(async (policy) => {
      const { membership } = await requireVisiblePage(ctx, policy.status_page_id);
      return { policy, steps: await openSteps(ctx, policy), isOpen: hasPermission(membership, "alerting.write") };
    }),
  );
  const notices = await listNotices(ctx, opened.map(receiversOf));
  const hosts = await listHostNotices(ctx, opened);
  const lost = await listLostTargets(
    ctx,
    opened.map(({ policy }) => policy.targets),
  );
  return opened.map(({ policy, steps, isOpen }, n) => {
    const own = [...(notices[n] ?? []), ...(hosts[n] ?? []), ...(lost[n] ?? [])];
    return { policy, steps: isOpen ? steps : steps.map(maskStep), notices: own };
  });
}

/** For each policy the contacts for whose host an earlier one of their step is sent the request. */
async function listHostNotices(ctx: RequestScope, policies: readonly ShownPolicy[]): Promise<Notice[][]> {
  const repeating = policies.map(({ steps }) =>
    steps.flatMap(({ contacts }, n) => {
      const hosts = contacts.map(hostOfContact);
      return hosts.flatMap((host, m) => {
        const isFirst = host === null || hosts.indexOf(host) === m;
        return isFirst ? [] : [{ path: `steps[${n}].contacts[${m}].value`, message: `is ${SAME_HOST}` }];
      });
    }),
  );
  const owners = new Set(policies.flatMap(({ policy }, n) => (repeating[n]?.length ? policy.owner_id : [])));
  if (owners.size === 0) return [];
  const found = await listUsers(ctx.db, [...owners]);
  const limited = found.filter(({ plan }) => isLimited(plan ?? ctx.settings.DEFAULT_PLAN)).map(({ id }) => id);
  return repeating.map((notices, n) => (limited.includes(policies[n]?.policy.owner_id ?? "") ? notices : []));
}

function receiversOf({ policy: { owner_id }, steps }: ShownPolicy): NamedReceiver[] {
  return steps.flatMap(({ contacts }, n) =>
    contacts.flatMap((contact, m) => {
      const receiver = receiverOfContact(contact);
      return receiver ? [{ owner_id, path: `steps[${n}].contacts[${m}].value`, receiver }] : [];
    }),
  );
}

function maskStep({ contacts, ...step }: StoredEscalationStep): StoredEscalationStep {
  return { ...step, contacts: contacts.map((contact) => ({ ...contact, value: maskValue(contact.value) })) };
}

function maskValue(value: string): string {
  return /^https?:\/\//i.test(value) ? maskUrl(value) : value;
}

/** Contacts that look alike to readers of masked values. */
function likenessOf({ type, value, label }: MaskableContact): string {
  return JSON.stringify([type, maskValue(value), label || null]);
}
type MaskableContact = Pick<EscalationContact, "type" | "value" | "label">;
type ContactSteps = readonly { level: number; contacts: readonly MaskableContact[] }[];

/**
 * A masked address that is sent back keeps the stored one. Several with the same mask are distinguished by their order
 * among those of their level, as long as none came or went; otherwise the request is refused, because a guess could
 * have one team alarmed in the place of another.
 */
function keepMasked<Step extends ContactSteps[number]>(steps: readonly Step[], stored: ContactSteps): Step[] {
  const all = stored.flatMap(({ contacts }) => contacts);
  return steps.map((step, n) => {
    const former = stored.find(({ level }) => level === step.level)?.contacts ?? [];
    return {
      ...step,
      contacts: step.contacts.map((contact, m) => {
        if (!MASKED.test(contact.value)) return contact;
        const alike = (each: MaskableContact) => likenessOf(each) === likenessOf(contact);
        const given = step.contacts.filter((each) => MASKED.test(each.value) && alike(each));
        const kept = former.filter(alike);
        if (given.length === kept.length) return { ...contact, value: kept[given.indexOf(contact)]?.value ?? "" };
        const values = new Set(
          all.flatMap(({ type, value }) =>
            type === contact.type && maskValue(value) === contact.value ? [value] : [],
          ),
        );
        const [only] = values;
        if (only !== undefined && values.size === 1) return { ...contact, value: only };
        throw refuseMask(`steps[${n}].contacts[${m}].value`, values.size);
      }),
    };
  });
}

const MASKED = /^https?:\/\/[^/]*\/\*\*\*$/i;

function refuseMask(path: string, candidates: number) {
  const message =
    candidates === 0 ? "stands for no stored address" : "stands for several stored addresses, give the whole one";
  return invalid(`${path} ${message}`, [{ path, message }]);
}

async function write(
  ctx: RequestScope,
  policy: EscalationPolicyRecord,
  verb: "created" | "changed" | "deleted" | "activated" | "deactivated",
  statements: readonly Statement[],
): Promise<void> {
  const full = conflict(`a status page has at most ${POLICIES_MAX} escalation policies`);
  const when = hasPolicies(policy.status_page_id, POLICIES_MAX);
  await commit(ctx, statements, {
    guards: verb === "created" ? [{ name: "stale", when, error: full }] : [],
    audit: {
      owner_id: policy.owner_id,
      status_page_id: policy.status_page_id,
      target_type: "escalation_policy",
      target_id: policy.id,
      summary: `${verb} escalation policy "${policy.name}"`,
    },
  });
}
