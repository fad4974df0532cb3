/** What an event about an incident or a maintenance window says about it besides its own members. */
export interface EventSubject {
  monitor_ids: string[];
  group_ids: string[];
  impact: string | null;
  /** Null where the operator set no public address. */
  url: string | null;
}

/** Of an event whose consumer has not read its incident or window yet. */
export const NO_SUBJECT: EventSubject = { monitor_ids: [], group_ids: [], impact: null, url: null };

export interface SubjectRecord {
  id: string;
  kind: "incident" | "maintenance";
  is_public: boolean;
  impact: string | null;
  monitor_ids: string[];
  group_ids: string[];
  page: { slug: string; is_public: boolean };
}

/** `public_url` is the address of the service, without a trailing slash; empty where the operator set none. */
export function describeSubject(record: SubjectRecord, public_url: string): EventSubject {
  const { monitor_ids, group_ids, impact } = record;
  return { monitor_ids, group_ids, impact, url: public_url === "" ? null : public_url + pathOf(record) };
}

function pathOf({ id, kind, is_public, page }: SubjectRecord): string {
  const part = kind === "incident" ? `incidents/${id}` : `maintenance/${id}`;
  return is_public && page.is_public ? `/status/${page.slug}/${part}` : `/app/${part}`;
}
