import { toHtml } from "../../ui/document.tsx";
import { Icon } from "../../ui/status-icons.tsx";
import { EMBED_STYLE } from "../embed-style.ts";
import type { PublicPageView } from "../view-model.ts";
import { Document, Time } from "./frame.tsx";
import { Phrase } from "./phrase.tsx";

const SERVICES_SHOWN = 8;

/** The state of a page in little room, for a frame on another site. Its links open the page outside of the frame. */
export function renderEmbed({ frame: shown, banner, affected, sections }: PublicPageView): string {
  // In a frame no icon is seen, and what other sites host may not be loaded.
  const frame = { ...shown, favicon_url: null, brand_color: null };
  const all = sections.flatMap((section) => section.monitors);
  const monitors = [...affected.monitors, ...all.filter((monitor) => !affected.monitors.includes(monitor))];
  const more = monitors.length - SERVICES_SHOWN;
  return toHtml(
    <Document
      title={`${frame.name}: ${banner.title}`}
      texts={frame.texts}
      frame={frame}
      state={banner.state}
      styles={[EMBED_STYLE]}
    >
      <main data-live={`${frame.base}/live`} data-version={frame.version}>
        <a class={`hero is-${banner.state}`} href={frame.url} target="_blank" rel="noopener">
          <Icon of={banner.state} />
          <div>
            <h1 dir="auto">{frame.name}</h1>
            <p class="headline">{banner.headline}</p>
          </div>
        </a>
        <ul>
          {monitors.slice(0, SERVICES_SHOWN).map((monitor) => (
            <li>
              <span dir="auto">{monitor.name}</span>
              <span class={`status is-${monitor.status}`}>
                <Icon of={monitor.status} />
                <span>{monitor.label}</span>
              </span>
            </li>
          ))}
          {more > 0 ? (
            <li>
              <a href={frame.url} target="_blank" rel="noopener">
                {frame.texts.home.more({ n: more })}
              </a>
            </li>
          ) : null}
        </ul>
        <p class="small as-of">
          <Phrase of={frame.texts.home.as_of} parts={{ time: <Time moment={frame.as_of} /> }} />
        </p>
      </main>
    </Document>,
  );
}
