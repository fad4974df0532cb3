import { z } from "zod";
import { agentOf, isChecked } from "../../contract/location.ts";
import type { Observed } from "../../contract/monitor-object.ts";
import {
  type Comparison,
  compareObserved,
  linesOf,
  markLines,
  OBSERVED_PARTS,
  type ObservedPart,
  phasesOf,
} from "../../domain/observed.ts";
import { getMonitor } from "../../features/monitors/service.ts";
import { listEvidence } from "../../features/outages/service.ts";
import { EmptyState, Table } from "../components/pieces.tsx";
import { ExactTime } from "../components/time.tsx";
import { showView } from "../shell.tsx";
import { view } from "../view.ts";
import { words } from "../words.ts";

type Seen = Observed & { location_name: string };

export const endpoints = [
  view(
    {
      path: "/app/monitors/{id}/evidence",
      summary: "What each location saw of an outage, in the dashboard",
      params: z.object({ id: z.uuid() }),
      query: z.object({ since: z.coerce.number().int().min(0).catch(0) }),
      ids: { params: { id: "monitor:see" } },
    },
    async (c, { params: { id }, query: { since } }) => {
      const text = words("dashboard-monitors").evidence;
      const { record } = await getMonitor(c.var.ctx, id);
      const seen = await listEvidence(c.var.ctx, id, { from: since });
      return showView(c, {
        title: text.title({ name: record.name }),
        heading: record.name,
        section: "monitors",
        trail: [
          { href: "/app/monitors", text: text.monitors },
          { href: `/app/monitors/${id}`, text: record.name },
        ],
        children: <Evidence compared={compareObserved(seen, since)} monitor={record} />,
      });
    },
  ),
];

interface EvidenceView {
  compared: readonly Comparison<Seen>[];
  monitor: Parameters<typeof isChecked>[0];
}

function Evidence({ compared, monitor }: EvidenceView) {
  const text = words("dashboard-monitors").evidence;
  if (compared.length === 0) {
    return <EmptyState title={text.none.title}>{isChecked(monitor) ? text.none.text : text.none.unchecked}</EmptyState>;
  }
  return (
    <div class="stack">
      {compared.map((comparison) => (
        <LocationEvidence comparison={comparison} />
      ))}
    </div>
  );
}

function LocationEvidence({ comparison }: { comparison: Comparison<Seen> }) {
  const text = words("dashboard-monitors").evidence;
  const { location, good, failure, recovery } = comparison;
  const columns = [good, failure, recovery];
  const parts = (Object.keys(OBSERVED_PARTS) as ObservedPart[]).filter((part) =>
    columns.some((seen) => seen !== null && linesOf(seen.observation, part).length > 0),
  );
  return (
    <section class="card evidence" aria-labelledby={`at-${location}`}>
      <h2 id={`at-${location}`} dir="auto">
        {failure.location_name}
      </h2>
      <Table
        caption={text.seen({ location: failure.location_name })}
        head={[text.what, text.last_good, text.failed, text.recovered]}
      >
        <tr>
          <th scope="row">{text.checked}</th>
          {columns.map((seen, n) => (
            <td>{seen ? <ExactTime at={seen.checked_at} /> : missingTexts()[n]}</td>
          ))}
        </tr>
        <tr>
          <th scope="row">{text.found}</th>
          {columns.map((seen) => (
            <td dir="auto">{seen?.message ?? "–"}</td>
          ))}
        </tr>
        <tr>
          <th scope="row">{text.time}</th>
          {columns.map((seen) => (
            <td>
              <Phases seen={seen} />
            </td>
          ))}
        </tr>
        {parts.map((part) => (
          <PartRow part={part} comparison={comparison} />
        ))}
      </Table>
      {agentOf(location) === null ? <p class="quiet">{text.edge}</p> : null}
    </section>
  );
}

const missingTexts = () => {
  const text = words("dashboard-monitors").evidence;
  return [text.none_kept, "", text.not_yet];
};

function PartRow({
  part,
  comparison: { good, failure, recovery },
}: {
  part: ObservedPart;
  comparison: Comparison<Seen>;
}) {
  const text = words("dashboard-monitors").evidence;
  const [before, now, after] = [good, failure, recovery].map((seen) =>
    seen === null ? null : linesOf(seen.observation, part),
  );
  const cells = [
    markLines(before ?? [], now ?? null),
    markLines(now ?? [], before ?? null),
    markLines(after ?? [], before ?? null),
  ];
  const differs = cells.slice(0, 2).some((lines) => lines.some((line) => line.differs));
  return (
    <tr>
      <th scope="row">
        {OBSERVED_PARTS[part]} {differs ? <span class="tag">{text.differs}</span> : null}
      </th>
      {cells.map((lines) => (
        <td>{lines.length === 0 ? "–" : <Lines lines={lines} />}</td>
      ))}
    </tr>
  );
}

function Lines({ lines }: { lines: readonly { text: string; differs: boolean }[] }) {
  return (
    <pre dir="auto" tabindex={0}>
      {lines.map(({ text, differs }, n) => (
        <>
          {n === 0 ? "" : "\n"}
          {differs ? <mark>{text}</mark> : text}
        </>
      ))}
    </pre>
  );
}

/** Of 100, so that the parts are seen beside each other. */
const BAR_WIDTH = 100;
const BAR_HEIGHT = 4;

function Phases({ seen }: { seen: Seen | null }) {
  const phases = seen ? phasesOf(seen.observation) : [];
  const total = phases.reduce((sum, { ms }) => sum + ms, 0);
  if (phases.length === 0) return <>–</>;
  const ends = phases.map((_, n) => phases.slice(0, n + 1).reduce((sum, { ms }) => sum + ms, 0));
  const x = (ms: number) => (total === 0 ? 0 : (ms / total) * BAR_WIDTH);
  return (
    <>
      <svg class="phases" viewBox={`0 0 ${BAR_WIDTH} ${BAR_HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {phases.map(({ ms }, n) => (
          <rect class={`is-${n}`} x={x((ends[n] ?? 0) - ms)} y="0" width={x(ms)} height={BAR_HEIGHT} />
        ))}
      </svg>
      <span>{phases.map(({ name, ms }) => `${name} ${ms} ms`).join(", ")}</span>
    </>
  );
}
