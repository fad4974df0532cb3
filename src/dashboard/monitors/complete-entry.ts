import { MONITOR_TYPES } from "../../contract/monitor-values.ts";

const WEB_TYPES = ["http", "https"];
const SCHEME = /^(https?):\/\//i;

/**
 * What was entered, with what follows from it: the scheme of an address says which of the two web types it is, a bare host
 * gets the scheme of its type, and a monitor without a name is called after its host.
 */
export function completeEntry(entered: URLSearchParams): URLSearchParams {
  const complete = new URLSearchParams(entered);
  const type = MONITOR_TYPES.find((each) => each === entered.get("type"));
  const target = entered.get("target")?.trim() ?? "";
  if (type !== undefined && target !== "" && WEB_TYPES.includes(type)) {
    const [, scheme] = SCHEME.exec(target) ?? [];
    if (scheme) complete.set("type", scheme.toLowerCase());
    else if (!target.includes("://")) complete.set("target", `${type}://${target}`);
  }
  if ((entered.get("name") ?? "").trim() === "" && target !== "") complete.set("name", hostOf(target));
  return complete;
}

function hostOf(target: string): string {
  const address = target.includes("://") ? target : `tcp://${target}`;
  return (URL.canParse(address) && new URL(address).hostname) || target.slice(0, 200);
}
