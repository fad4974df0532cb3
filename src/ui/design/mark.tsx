import { LIGHT } from "./tokens.ts";

/** The mark of the product: a pulse within a ring, drawn by one stroke on a ground of 24 by 24. */
const PATH = "M12 2.5a9.5 9.5 0 1 1 0 19a9.5 9.5 0 1 1 0-19M2.5 12H7.5l2.75-5 3.5 10 2.75-5H21.5";

/** In the colour of the text around it. */
export function Mark({ size = 20 }: { size?: 16 | 20 | 24 | 32 | 48 }) {
  return (
    <svg class="brand-sign" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <path
        d={PATH}
        fill="none"
        stroke="currentColor"
        stroke-width="2.25"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}

/** The mark as a file of its own, for the tab of a browser: its ring is filled, so that it is seen at 16 px. */
export function markSvg(color: string = LIGHT.accent): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><circle cx="12" cy="12" r="12" fill="${color}"/><path d="M3.5 12H8l2.5-5.5 3.5 11 2.5-5.5h4" fill="none" stroke="${LIGHT["on-accent"]}" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
}

/** The same on a square without corners, which phones cut to their own shape. */
export function appIconSvg(color: string = LIGHT.accent): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><path d="M0 0h48v48H0z" fill="${color}"/><g transform="translate(8.4 8.4) scale(1.3)"><path d="${PATH}" fill="none" stroke="${LIGHT["on-accent"]}" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/></g></svg>`;
}
