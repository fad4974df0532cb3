import type { PageState, PublicStatus } from "../contract/public-page.ts";

/** Each status has a shape of its own, so that colour is never the only sign of it. */
const SHAPES = {
  up: (
    <>
      <circle cx="12" cy="12" r="10" />
      <path class="mark" d="m7.5 12.5 3 3 6-6.5" />
    </>
  ),
  degraded: (
    <>
      <path d="M10.3 3.2a2 2 0 0 1 3.4 0l8.5 14.6a2 2 0 0 1-1.7 3H3.5a2 2 0 0 1-1.7-3z" />
      <path class="mark" d="M12 9v5m0 3v.1" />
    </>
  ),
  down: (
    <>
      <path d="M7.9 2h8.2L22 7.9v8.2L16.1 22H7.9L2 16.1V7.9z" />
      <path class="mark" d="m8.5 8.5 7 7m0-7-7 7" />
    </>
  ),
  maintenance: (
    <>
      <circle cx="12" cy="12" r="10" />
      <path class="mark" d="M12 6.5V12l3.5 2.5" />
    </>
  ),
  paused: (
    <>
      <circle cx="12" cy="12" r="10" />
      <path class="mark" d="M9.5 8.5v7m5-7v7" />
    </>
  ),
  unknown: (
    <>
      <rect x="2" y="2" width="20" height="20" rx="4" />
      <path class="mark" d="M9 9.2a3 3 0 1 1 4.6 2.5c-1 .7-1.6 1.2-1.6 2.3m0 3v.1" />
    </>
  ),
};
type Shape = keyof typeof SHAPES;

export type IconName = PublicStatus | PageState | "paused";

const SHAPE_OF: Record<IconName, Shape> = {
  paused: "paused",
  maintenance: "maintenance",
  up: "up",
  degraded: "degraded",
  down: "down",
  unknown: "unknown",
  pending: "unknown",
  operational: "up",
  partial_outage: "down",
  major_outage: "down",
};

/** Drawn once, used by reference: a page may have hundreds of them. */
export function IconShapes() {
  return (
    <svg class="shapes" aria-hidden="true">
      {Object.entries(SHAPES).map(([name, shape]) => (
        <symbol id={`shape-${name}`} viewBox="0 0 24 24">
          {shape}
        </symbol>
      ))}
    </svg>
  );
}

export function Icon({ of }: { of: IconName }) {
  return (
    <svg class="icon" aria-hidden="true">
      <use href={`#shape-${SHAPE_OF[of]}`} />
    </svg>
  );
}
