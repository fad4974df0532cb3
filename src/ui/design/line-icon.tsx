import { raw } from "hono/html";
import type { BrandName, LineIconName } from "./icon-names.ts";
import { BRAND_SHAPES, ICON_SHAPES } from "./icon-shapes.ts";

/** An icon stands beside its word; one that stands alone is within a control that has an `aria-label`. */
export function LineIcon({ of, size = 16 }: { of: LineIconName; size?: 14 | 16 | 20 | 24 }) {
  return (
    <svg class="line-icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      {raw(ICON_SHAPES[of])}
    </svg>
  );
}

/** The mark of another product, in the colour of the text around it. */
export function BrandMark({ of, size = 16 }: { of: BrandName; size?: 16 | 20 | 24 }) {
  return (
    <svg class="brand-mark" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      {raw(BRAND_SHAPES[of])}
    </svg>
  );
}
