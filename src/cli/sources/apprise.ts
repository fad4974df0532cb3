import { isRecord } from "../../lib/is-record.ts";
import { CommandFailure } from "../failure.ts";
import { appriseChannels, serviceOf } from "./apprise-address.ts";
import { Draft, type Imported, type ImportOptions } from "./draft.ts";
import { parseForeignYaml } from "./file.ts";
import { ForeignRecord } from "./record.ts";

/**
 * The configuration of Apprise: a line an address, or YAML. https://github.com/caronc/apprise/wiki/config_text and
 * https://github.com/caronc/apprise/wiki/config_yaml
 */
export function importApprise(text: string, options: ImportOptions = {}): Imported {
  const draft = new Draft(options);
  const roots = isYaml(text) ? addYaml(draft, text) : addLines(draft, text);
  return draft.finish(...roots);
}

const isYaml = (text: string) => /^(?:\s*\{|(?:urls|version)\s*:)/m.test(text);
const ADDRESS = /^[a-z0-9+-]+:\/\//i;

function addLines(draft: Draft, text: string): ForeignRecord[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const written = lines.filter((line) => line !== "" && !/^[#;]/.test(line));
  let count = 0;
  for (const line of written) {
    const [, tags, address = line] = /^([^:=]*)=(.+)$/.exec(line) ?? [];
    if (ADDRESS.test(address.trim())) addAddress(draft, address, { tags: tags?.trim() ?? "", n: ++count });
    else draft.about("the file").stays("a line that is no address, such as include or the members of a group");
  }
  if (count === 0) throw new CommandFailure("the file is nothing of Apprise: it has no address");
  return [];
}

/** What stands beside an address in YAML may be its tags. Records are made anew: paths would repeat the address. */
function addYaml(draft: Draft, text: string): ForeignRecord[] {
  const root = parseForeignYaml(text, "Apprise");
  root.ignore("version");
  const urls = root.take("urls");
  if (!Array.isArray(urls)) throw new CommandFailure("the file is nothing of Apprise: it has no urls");
  const made: ForeignRecord[] = [root];
  let count = 0;
  for (const item of urls) {
    if (typeof item === "string") addAddress(draft, item, { tags: "", n: ++count });
    else if (isRecord(item)) made.push(...addMapping(draft, item, () => ++count));
    else draft.about("urls").stays("an entry that is no address");
  }
  return made;
}

function addMapping(draft: Draft, item: Record<string, unknown>, next: () => number): ForeignRecord[] {
  const others = Object.entries(item).filter(([key]) => !ADDRESS.test(key) && !(key === "url"));
  const beside = new ForeignRecord(Object.fromEntries(others));
  const made = [beside];
  const given = typeof item.url === "string" ? [[item.url, null] as const] : [];
  const addresses = [...given, ...Object.entries(item).filter(([key]) => ADDRESS.test(key))];
  const tag = tagsOf(beside);
  for (const [address, value] of addresses) {
    const n = next();
    beside.subject ??= subjectOf(address, n);
    const records = (Array.isArray(value) ? value : [value]).filter(isRecord).map((each) => new ForeignRecord(each));
    for (const record of records) record.subject = subjectOf(address, n);
    const tags = [tag, ...records.map(tagsOf)].filter((each) => each !== "").join(", ");
    made.push(...records);
    addAddress(draft, address, { tags, n });
  }
  return made;
}

function tagsOf(record: ForeignRecord): string {
  return record.text("tag") ?? record.texts("tag").join(", ");
}

const subjectOf = (address: string, n: number) => `address ${n} (${serviceOf(address)})`;

function addAddress(draft: Draft, address: string, { tags, n }: { tags: string; n: number }): void {
  const remarks = draft.about(subjectOf(address, n));
  const channels = appriseChannels(address, remarks);
  if (channels.length === 0) {
    remarks.stays("has to be set up anew");
    return;
  }
  const name = tags === "" ? `${serviceOf(address)} ${n}` : `${serviceOf(address)} ${n} ${tags}`;
  for (const channel of channels) draft.addWebhook(name.slice(0, 100), { channel }, remarks);
  if (tags !== "") remarks.changes("its tags are part of its name: choose what it hears of anew");
}
