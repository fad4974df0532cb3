import type { Api, Item } from "./api.ts";
import { readPresent } from "./apply.ts";
import { CommandFailure } from "./failure.ts";
import type { ImportedHistory } from "./sources/draft.ts";

/** Incidents that are over, and maintenance: no file of ours holds them, so they are made by the API. */

export type HistoryKind = "incidents" | "maintenance";

export interface HistoryResult {
  kind: HistoryKind;
  title: string;
  /** What the service said against it; null: it was made. */
  refused: string | null;
}

interface Options {
  source: string;
  /** The keys of monitors here by those of the import. */
  keys: ReadonlyMap<string, string>;
  report: (result: HistoryResult) => void;
}

/** Makes what is not here yet: incidents are known by page, title and beginning, maintenance by its key. */
export async function applyHistory(api: Api, history: ImportedHistory, options: Options): Promise<HistoryResult[]> {
  if (history.incidents.length + history.maintenance.length === 0) return [];
  const { source, keys, report } = options;
  const { status_pages, monitors } = await readPresent(api);
  const pageOf = (key: string) => {
    const page = status_pages.find(({ external_key, slug }) => external_key === key || slug === key);
    if (!page) throw new CommandFailure(`status_pages.${key} was not made`);
    return page;
  };
  const affected = (page: Item, wanted: readonly string[]) => {
    const names = new Set(wanted.map((key) => keys.get(key) ?? key));
    return monitors.filter(({ external_key, status_page_id }) => {
      return names.has(String(external_key)) && status_page_id === page.id;
    });
  };
  const results: HistoryResult[] = [];
  const make = async (kind: HistoryKind, title: string, send: () => Promise<unknown>) => {
    const result: HistoryResult = { kind, title, refused: null };
    try {
      await send();
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      result.refused = error.message;
    }
    results.push(result);
    report(result);
  };
  const identify = (page: unknown, title: unknown, at: unknown) =>
    JSON.stringify([page, String(title).trim(), Date.parse(String(at))]);
  const known = new Set(
    (await api.list("/incidents")).map((item) => identify(item.status_page_id, item.title, item.started_at)),
  );
  for (const { status_page, monitors: wanted, title, is_public = true, ...incident } of history.incidents) {
    const page = status_pages.find(({ external_key, slug }) => external_key === status_page || slug === status_page);
    if (page && known.has(identify(page.id, title, incident.started_at))) continue;
    await make("incidents", title, () => {
      const { id } = pageOf(status_page);
      const monitor_ids = affected(pageOf(status_page), wanted).map((monitor) => monitor.id);
      const past = { status: "resolved", announce: false };
      return api.call("POST", "/incidents", {
        ...incident,
        ...past,
        title,
        is_public,
        status_page_id: id,
        monitor_ids,
      });
    });
  }
  const planned = new Set((await api.list("/maintenance")).map(({ external_key }) => external_key));
  for (const { key, status_page, monitors: wanted, ...window } of history.maintenance) {
    const external_key = `${source}-${key}`.replace(/[^A-Za-z0-9_.:-]+/g, "-").slice(0, 100);
    if (planned.has(external_key)) continue;
    await make("maintenance", window.title, () => {
      const page = pageOf(status_page);
      const found = affected(page, wanted);
      // Without any it would cover the whole page.
      if (wanted.length > 0 && found.length === 0) throw new CommandFailure("nothing that it is about was imported");
      const targets = found.map(({ id }) => ({ target_type: "monitor", target_id: id }));
      return api.call("POST", "/maintenance", { ...window, external_key, status_page_id: page.id, targets });
    });
  }
  return results;
}
