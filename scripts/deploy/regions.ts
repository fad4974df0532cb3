import type { Region } from "../../src/contract/monitor-values.ts";

export function checkerName(deployment: string, region: Region): string {
  return `${checkerPrefix(deployment)}${region}`;
}

export function checkerPrefix(deployment: string): string {
  return `${deployment}-checker-`;
}
