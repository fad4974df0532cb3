import type { Region } from "../../src/contract/monitor-values.ts";

export function checkerName(deployment: string, region: Region): string {
  return `${deployment}-checker-${region}`;
}
