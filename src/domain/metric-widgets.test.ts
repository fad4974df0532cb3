import { describe, expect, it } from "vitest";
import { buildMetricPicture, sampleChecks } from "./metric-widgets.ts";

const points = [
  { at: 0, count: 2, mean: 3, min: 1, max: 5 },
  { at: 60, count: 1, mean: 4, min: 4, max: 4 },
];
const series = [
  { metric: "player_count", points },
  { metric: "queue", points: points.slice(1) },
];
const last = { fields: { player_count: 4, max_players: 64, map_name: "Arena" }, metrics: { queue: 7, seed: "x9" } };
const widgets = [
  { type: "stat" as const, metric: "seed", title: "Seed" },
  { type: "bar" as const, metric: "queue", title: "Queue" },
];

describe("the picture of a monitor's metrics", () => {
  it("has each widget with its newest value and its series", () => {
    expect(buildMetricPicture({ widgets, series, last, game: null })).toEqual({
      game: null,
      widgets: [
        { type: "stat", metric: "seed", title: "Seed", last: "x9", points: [] },
        { type: "bar", metric: "queue", title: "Queue", last: 7, points: points.slice(1) },
      ],
    });
  });

  it("has the state of a game server, and its players though no widget names them", () => {
    const picture = buildMetricPicture({ widgets, series, last, game: { join_url: "steam://connect/a:1" } });
    expect(picture.game).toEqual({
      players: 4,
      max_players: 64,
      peak: 5,
      map: "Arena",
      join_url: "steam://connect/a:1",
    });
    expect(picture.widgets.map(({ metric }) => metric)).toEqual(["player_count", "seed", "queue"]);
    const own = { type: "bar" as const, metric: "player_count", title: "Crowd" };
    const titles = buildMetricPicture({ widgets: [own], series, last, game: { join_url: null } }).widgets;
    expect(titles.map(({ title }) => title)).toEqual(["Crowd"]);
  });

  it("has nothing of what was never measured", () => {
    const game = { players: null, max_players: null, peak: null, map: null, join_url: null };
    expect(buildMetricPicture({ widgets: [], series: [], last: null, game: { join_url: null } })).toMatchObject({
      game,
    });
  });
});

describe("the samples of a queried game server", () => {
  const details = { players: 3, max_players: 20, map: "Dust" };
  const fields = { player_count: 3, max_players: 20, map_name: "Dust" };

  it("repeat what was found last, because results keep only details that changed, and leave out failures", () => {
    expect(
      sampleChecks([
        { checked_at: 4, details: { players: 5 }, is_success: true },
        { checked_at: 2, details: {}, is_success: true },
        { checked_at: 3, details: { reason: "timeout" }, is_success: false },
        { checked_at: 1, details, is_success: true },
      ]).map(({ at, fields }) => [at, fields]),
    ).toEqual([
      [1, fields],
      [2, fields],
      [4, { player_count: 5, max_players: undefined, map_name: undefined }],
    ]);
  });
});
