import type { Region } from "../../src/contract/monitor-values.ts";

/**
 * Where the checks of a region leave from: its checker Worker runs in the data center nearest to this cloud region.
 * https://developers.cloudflare.com/workers/configuration/placement/
 */
export const PLACEMENTS = {
  wnam: "aws:us-west-2",
  enam: "aws:us-east-1",
  sam: "aws:sa-east-1",
  weur: "aws:eu-central-1",
  eeur: "gcp:europe-central2",
  apac: "aws:ap-southeast-1",
  oc: "aws:ap-southeast-2",
  afr: "aws:af-south-1",
  me: "aws:me-central-1",
} as const satisfies Record<Region, string>;

/** The service binding under which the Worker finds the checker of a region. */
export function checkerBinding(region: Region): string {
  return `CHECKER_${region.toUpperCase()}`;
}

export function checkerName(deployment: string, region: Region): string {
  return `${checkerPrefix(deployment)}${region}`;
}

export function checkerPrefix(deployment: string): string {
  return `${deployment}-checker-`;
}
