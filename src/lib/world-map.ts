/**
 * The land of the earth between 75 degrees north and 57 south, a character each four degrees, and a place within each
 * country. Derived from the maps of Natural Earth (https://www.naturalearthdata.com, public domain) in the edition of the
 * package world-atlas.
 */
const STEP = 4;
const NORTH = 75;
const WEST = -180;
const LAND = `
..............#..#...####......#########...........................######.................
....######..#######.##.#####...########...........###.....#.#.#######################..##.
..##############################################.......#..................................
....##################.....#....###............##########################################.
.....##...############....##...................##..##############################....#....
............############.#####.............##..##.#############################.....#.....
.............##################.............####################################..........
..............###############...............####################################..........
..............#############................###...###...##.#####################.#.........
..............############.................##.....#.#####.#################.#.............
...............###########.................#####......#####################...##..........
................#########..................######.#########################...............
.................####.....................#################################...............
..................###....................###################..############................
...................##.#..................#############.####....###...###..................
......................##.................#################......#....###...#..............
..........................##.............###############........#......#..................
..........................####............###############.................................
..........................######...............##########............##..##...............
.........................########..............########...............#.##................
.........................###########............#######........................##.........
.........................###########............#######...................................
..........................#########.............#######.......................#...........
...........................########.............#######.#...................#####.........
...........................########.............######..#.................########........
...........................######................#####..#................##########.......
...........................######................####.....................#########.......
...........................#####..................##......................##...####.......
...........................####.................................................##........
...........................##...........................................................#.
..........................##...........................................................#..
..........................##..............................................................
...........................#..............................................................
`
  .trim()
  .split("\n");

/** By the two letters of ISO 3166-1: degrees north and east. */
const COUNTRIES = `
AD 43 2, AE 23 54, AF 34 65, AG 17 -62, AI 18 -63, AL 41 20, AM 41 45, AO -12 18, AR -31 -64, AS -14 -171,
AT 48 15, AU -24 133, AW 13 -70, AX 60 20, AZ 40 47, BA 44 18, BB 13 -60, BD 24 90, BE 51 5, BF 13 -1,
BG 43 25, BH 26 51, BI -3 30, BJ 10 2, BL 18 -63, BM 32 -65, BN 4 115, BO -17 -65, BQ 12 -68, BR -13 -50,
BS 25 -78, BT 28 90, BW -22 24, BY 53 28, BZ 18 -89, CA 58 -113, CC -12 97, CD -2 23, CF 7 21, CG 0 16,
CH 47 8, CI 8 -6, CK -21 -160, CL -24 -69, CM 5 12, CN 31 109, CO 3 -73, CR 10 -84, CU 21 -76, CV 15 -24,
CW 12 -69, CX -10 106, CY 35 33, CZ 50 15, DE 51 10, DJ 11 42, DK 56 9, DM 15 -61, DO 19 -71, DZ 27 3,
EC -1 -78, EE 59 26, EG 26 29, EH 27 -11, ER 16 38, ES 40 -3, ET 8 39, FI 63 27, FJ -18 178, FK -52 -59,
FM 7 158, FO 62 -7, FR 47 3, GA -1 12, GB 53 -2, GD 12 -62, GE 42 43, GF 4 -53, GG 49 -3, GH 7 -1, GI 36 -5,
GL 78 -42, GM 14 -15, GN 10 -10, GP 16 -62, GQ 2 11, GR 40 22, GS -54 -37, GT 15 -91, GU 13 145, GW 12 -15,
GY 3 -59, HK 22 114, HM -53 74, HN 15 -87, HR 46 16, HT 19 -72, HU 47 20, ID -1 114, IE 53 -7, IL 31 35,
IM 54 -5, IN 22 79, IO -7 72, IQ 33 43, IR 32 55, IS 65 -19, IT 45 11, JE 49 -2, JM 18 -77, JO 31 36,
JP 36 139, KE 0 38, KG 42 75, KH 13 105, KI 2 -157, KM -12 43, KN 17 -63, KP 40 126, KR 36 128, KW 30 47,
KY 19 -81, KZ 49 69, LA 20 103, LB 34 36, LC 14 -61, LI 47 10, LK 7 81, LR 6 -9, LS -29 28, LT 55 24,
LU 50 6, LV 57 26, LY 27 15, MA 32 -7, MC 44 7, MD 48 28, ME 43 19, MF 18 -63, MG -18 47, MH 7 171, MK 41 21,
ML 19 -2, MM 22 96, MN 46 105, MO 22 114, MP 15 146, MQ 15 -61, MR 19 -10, MS 17 -62, MT 36 14, MU -20 58,
MV 4 74, MW -13 34, MX 24 -102, MY 2 114, MZ -14 38, NA -20 17, NC -21 165, NE 18 10, NF -29 168, NG 9 7,
NI 13 -85, NL 52 6, NO 61 10, NP 29 82, NR -1 167, NU -19 -170, NZ -45 169, OM 22 58, PA 8 -81, PE -13 -73,
PF -18 -149, PG -6 143, PH 17 121, PK 28 67, PL 52 20, PM 47 -56, PN -24 -128, PR 18 -67, PS 32 35, PT 40 -8,
PW 8 135, PY -22 -60, QA 25 51, RE -21 56, RO 46 25, RS 44 21, RU 58 90, RW -2 30, SA 23 45, SB -10 160,
SC -5 55, SD 17 30, SE 65 18, SG 1 104, SH -16 -6, SI 46 15, SJ 78 16, SK 49 19, SL 9 -12, SM 44 12,
SN 15 -15, SO 2 43, SR 4 -56, SS 7 30, ST 0 7, SV 14 -89, SX 18 -63, SY 35 38, SZ -27 31, TC 22 -72,
TD 17 20, TF -49 69, TG 9 1, TH 15 101, TJ 39 70, TK -9 -172, TL -9 126, TM 40 59, TN 33 10, TO -21 -175,
TR 39 34, TT 10 -61, TV -8 179, TW 24 121, TZ -5 34, UA 49 33, UG 2 33, US 39 -98, UY -33 -56, UZ 42 64,
VA 42 12, VC 13 -61, VE 7 -64, VG 18 -65, VI 18 -65, VN 21 105, VU -15 167, WF -14 -178, WS -14 -172,
XK 43 21, YE 15 45, YT -13 45, ZA -30 25, ZM -15 26, ZW -19 30
`;

/** Degrees north and east. */
export type Coordinates = readonly [latitude: number, longitude: number];

export const MAP_WIDTH = LAND[0]?.length ?? 0;
export const MAP_HEIGHT = LAND.length;

/** The land as lines along its rows, which a pattern of dashes turns into dots. */
export const LAND_PATH: string = LAND.flatMap((row, y) =>
  [...row.matchAll(/#+/g)].map(({ index, 0: { length } }) => `M${index} ${y}h${length - 1}`),
).join("");

const COUNTRY_PLACES: ReadonlyMap<string, Coordinates> = new Map(
  COUNTRIES.split(",").map((entry) => {
    const [code = "", latitude, longitude] = entry.trim().split(" ");
    return [code, [Number(latitude), Number(longitude)]];
  }),
);

export function countryPlace(code: string | null): Coordinates | null {
  return COUNTRY_PLACES.get(code ?? "") ?? null;
}

/** Where a place lies on the map, in its characters. */
export function projectPlace([latitude, longitude]: Coordinates): { x: number; y: number } {
  return { x: (longitude - WEST) / STEP - 0.5, y: (NORTH - latitude) / STEP };
}

/** The same points, those that would hide another one moved beside it. */
export function spreadPoints<Point extends { x: number; y: number }>(points: readonly Point[], apart: number): Point[] {
  const placed: Point[] = [];
  for (const point of points) {
    const isFree = ({ x, y }: Point) => placed.every((each) => Math.hypot(each.x - x, each.y - y) >= apart * 0.99);
    placed.push(around(point, apart).find(isFree) ?? point);
  }
  return placed;
}

const RINGS = 4;
const DIRECTIONS = 8;

function around<Point extends { x: number; y: number }>(point: Point, apart: number): Point[] {
  const rings = Array.from({ length: RINGS * DIRECTIONS }, (_, n) => {
    const angle = (2 * Math.PI * (n % DIRECTIONS)) / DIRECTIONS;
    const radius = apart * (1 + Math.floor(n / DIRECTIONS));
    const round = (value: number) => Math.round(10 * value) / 10;
    return { ...point, x: round(point.x + radius * Math.cos(angle)), y: round(point.y + radius * Math.sin(angle)) };
  });
  return [point, ...rings];
}
