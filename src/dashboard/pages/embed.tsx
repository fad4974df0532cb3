import { CopyText, ListPages } from "../components/pieces.tsx";
import { addressWith, partOf } from "../lists.ts";
import type { Service } from "./services.tsx";
import type { Page } from "./views.tsx";

const BADGES = ["status", "uptime", "latency"] as const;
const BADGE_WORDS = { status: "Status", uptime: "Uptime", latency: "Latency" };

interface EmbedProps {
  page: Page;
  origin: string;
  services: readonly Service[];
  offset: number;
}

export function Embed({ page, origin, services, offset }: EmbedProps) {
  const { shown, place } = partOf(services, offset);
  const frame = `<iframe src="${origin}/embed/${page.slug}" title="Status" width="320" height="80" style="border:0"></iframe>`;
  return (
    <>
      <section class="card" aria-label="Embed">
        <p class="quiet">Lines to copy into your own pages. They show no more than the public page does.</p>
        <CopyText label="Status in a frame" text={frame} />
        <CopyText label="Feed" text={`${page.url}/feed.atom`} />
        <CopyText label="State as JSON" text={`${page.url}/summary.json`} />
      </section>
      {services.length === 0 ? null : (
        <section aria-labelledby="badges">
          <h2 id="badges">Badges</h2>
          {page.is_public ? null : <p class="quiet">Badges are there once the page is public.</p>}
          <div class="card folds">
            {shown.map((service, n) => (
              <details open={n === 0}>
                <summary dir="auto">{service.name}</summary>
                {BADGES.map((badge) => (
                  <Badge badge={badge} service={service} origin={origin} page={page} />
                ))}
              </details>
            ))}
          </div>
          <ListPages {...place} href={(from) => addressWith(`/app/pages/${page.id}/embed`, { offset: from })} />
        </section>
      )}
    </>
  );
}

interface BadgeProps {
  badge: (typeof BADGES)[number];
  service: Service;
  origin: string;
  page: Page;
}

function Badge({ badge, service, origin, page }: BadgeProps) {
  const name = BADGE_WORDS[badge];
  const address = `${origin}/badge/${service.id}/${badge}.svg`;
  return (
    <>
      {page.is_public ? (
        <p>
          <img
            src={`/badge/${service.id}/${badge}.svg`}
            alt={`${name} of ${service.name}`}
            loading="lazy"
            height={20}
          />
        </p>
      ) : null}
      <CopyText label={`${name}, Markdown`} text={`[![${name}](${address})](${page.url})`} />
      <CopyText label={`${name}, HTML`} text={`<a href="${page.url}"><img src="${address}" alt="${name}"></a>`} />
    </>
  );
}
