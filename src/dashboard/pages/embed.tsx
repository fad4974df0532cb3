import { CopyText, ListPages } from "../components/pieces.tsx";
import { addressWith, partOf } from "../lists.ts";
import { words } from "../words.ts";
import type { Service } from "./services.tsx";
import type { Page } from "./views.tsx";

const BADGES = ["status", "uptime", "latency"] as const;

interface EmbedProps {
  page: Page;
  origin: string;
  services: readonly Service[];
  offset: number;
}

export function Embed({ page, origin, services, offset }: EmbedProps) {
  const text = words("dashboard-pages").embed;
  const { shown, place } = partOf(services, offset);
  const frame = `<iframe src="${origin}/embed/${page.slug}" title="${text.names.status}" width="320" height="80" style="border:0"></iframe>`;
  return (
    <>
      <section class="card" aria-label={text.title}>
        <p class="quiet">{text.lead}</p>
        <CopyText label={text.frame} text={frame} />
        <CopyText label={text.feed} text={`${page.url}/feed.atom`} />
        <CopyText label={text.json} text={`${page.url}/summary.json`} />
      </section>
      {services.length === 0 ? null : (
        <section aria-labelledby="badges">
          <h2 id="badges">{text.badges}</h2>
          {page.is_public ? null : <p class="quiet">{text.private}</p>}
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
  const text = words("dashboard-pages").embed;
  const name = text.names[badge];
  const address = `${origin}/badge/${service.id}/${badge}.svg`;
  return (
    <>
      {page.is_public ? (
        <p>
          <img
            src={`/badge/${service.id}/${badge}.svg`}
            alt={text.badge_of({ badge: name, service: service.name })}
            loading="lazy"
            height={20}
          />
        </p>
      ) : null}
      <CopyText label={text.as_markdown({ badge: name })} text={`[![${name}](${address})](${page.url})`} />
      <CopyText
        label={text.as_html({ badge: name })}
        text={`<a href="${page.url}"><img src="${address}" alt="${name}"></a>`}
      />
    </>
  );
}
