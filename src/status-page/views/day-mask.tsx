export const BAR_HEIGHT = 28;

/** A quarter of each day is the gap to the next one: two pixels of eight where all ninety are shown. */
export function DayMask() {
  return (
    <svg class="shapes" aria-hidden="true">
      <pattern id="day" width="1" height={BAR_HEIGHT} patternUnits="userSpaceOnUse">
        <rect x=".125" width=".75" height={BAR_HEIGHT} rx=".22" ry="2" fill="#fff" />
      </pattern>
      <mask id="days" maskUnits="userSpaceOnUse" x="0" y="0" width="90" height={BAR_HEIGHT}>
        <rect width="90" height={BAR_HEIGHT} fill="url(#day)" />
      </mask>
    </svg>
  );
}
