/** Lightness from 0 to 1, chroma, hue in degrees. https://www.w3.org/TR/css-color-4/#ok-lab */
export type Oklch = readonly [lightness: number, chroma: number, hue: number];

const CHROMA_STEP = 0.002;

/** The colour as screens of the web know it; one that is too vivid for them becomes as vivid as they show. */
export function toHex([lightness, chroma, hue]: Oklch): string {
  let channels = toLinear([lightness, chroma, hue]);
  for (let less = chroma; less > 0 && channels.some((channel) => channel < -0.0005 || channel > 1.0005); ) {
    less -= CHROMA_STEP;
    channels = toLinear([lightness, less, hue]);
  }
  return `#${channels.map((channel) => toByte(channel).toString(16).padStart(2, "0")).join("")}`;
}

function toLinear([lightness, chroma, hue]: Oklch): number[] {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ];
}

function toByte(linear: number): number {
  const bounded = Math.min(1, Math.max(0, linear));
  return Math.round(255 * (bounded <= 0.0031308 ? 12.92 * bounded : 1.055 * bounded ** (1 / 2.4) - 0.055));
}
