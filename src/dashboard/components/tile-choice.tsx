import type { Child } from "hono/jsx";
import { words } from "../words.ts";

export interface Tile {
  value: string;
  href: string;
  mark: Child;
  text: string;
  /** What it is, in a few words. */
  note?: string;
  /** The address has what is missing first, so the script does not choose it in place. */
  leadsAway?: boolean;
}

interface TileChoiceProps {
  /** Of the select in the form beneath, which the script sets; each tile is also a link to that form. */
  of: string;
  label: string;
  heading: string;
  families: readonly { heading: string; tiles: readonly Tile[] }[];
  chosen: string;
  /** It was chosen already: the form comes first. */
  isFolded?: boolean;
}

/** One among many, by mark and name. */
export function TileChoice({ of, label, heading, families, chosen, isFolded = false }: TileChoiceProps) {
  const texts = words("dashboard-frame").tiles;
  return (
    <nav aria-label={label} class="card">
      <details open={!isFolded}>
        <summary>{heading}</summary>
        <input
          type="search"
          placeholder={texts.find}
          aria-label={texts.find_in({ label })}
          data-finds-tile
          data-scripted
        />
        {families.map((family) => (
          <section>
            <h2>{family.heading}</h2>
            <div class="tiles">
              {family.tiles.map(({ value, href, mark, text, note, leadsAway }) => (
                <a
                  class="tile is-line"
                  href={href}
                  data-chooses={leadsAway ? undefined : of}
                  data-value={value}
                  aria-current={value === chosen ? "true" : undefined}
                >
                  {mark}
                  {note === undefined ? (
                    text
                  ) : (
                    <span>
                      {text}
                      <span class="quiet">{note}</span>
                    </span>
                  )}
                </a>
              ))}
            </div>
          </section>
        ))}
      </details>
    </nav>
  );
}
