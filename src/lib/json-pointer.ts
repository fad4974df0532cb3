import { isRecord } from "./is-record.ts";

/** What a JSON pointer (RFC 6901) names within a value; undefined where it names nothing. */
export function valueAt(value: unknown, pointer: string): unknown {
  const names = pointer === "" ? [] : pointer.split("/").slice(1);
  return names.reduce<unknown>((at, name) => memberOf(at, name.replaceAll("~1", "/").replaceAll("~0", "~")), value);
}

function memberOf(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return INDEX.test(name) ? value[Number(name)] : undefined;
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

const INDEX = /^(?:0|[1-9]\d{0,8})$/;
