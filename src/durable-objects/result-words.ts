import type { StoredResult } from "../contract/prober-object.ts";
import type { PackedCheck } from "../domain/packed-results.ts";

/** Longer details are left out: of what is kept for months, each check has its share. */
const DETAILS_LENGTH_MAX = 2000;
/** Distinct messages of successes, each with its details; further ones are kept as text. */
const PHRASES_MAX = 200;
/** Longer ones hardly repeat word for word, and would fill the directory. */
const ANSWER_LENGTH_MAX = 300;

const SCHEMA = `CREATE TABLE IF NOT EXISTS words (kind TEXT NOT NULL, text TEXT NOT NULL, number INTEGER NOT NULL,
    PRIMARY KEY (kind, text)) WITHOUT ROWID`;

/** An answer is a message with its details, as JSON text of both. */
type WordKind = "monitor" | "phrase" | "answer" | "place";

/** The directory of a history: the numbers that stand in packed checks for what repeats with every one. */
export class ResultWords {
  readonly #sql: SqlStorage;
  readonly #numbers = new Map<string, number>();
  /** The details that each monitor's last success had, so that they are stored where they change. */
  readonly #details = new Map<number, string>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(SCHEMA);
    for (const { kind, text, number } of sql.exec<{ kind: string; text: string; number: number }>(
      "SELECT kind, text, number FROM words",
    )) {
      this.#numbers.set(`${kind} ${text}`, number);
    }
  }

  memberOf(monitorId: string): number | undefined {
    return this.#numbers.get(`monitor ${monitorId}`);
  }

  pack(entry: StoredResult, slotAt: number): PackedCheck {
    const member = this.numberOf("monitor", entry.monitor_id);
    const answer = entry.outcome === "success" ? this.#answerOf(entry) : null;
    const details = this.#newDetails(member, entry);
    return {
      member,
      outcome: entry.outcome,
      latency_ms: entry.latency_ms,
      delay_ms: entry.checked_at - slotAt,
      message: answer ?? (entry.outcome === "success" ? this.#phraseOf(entry.message) : entry.message),
      place: entry.colo ? this.numberOf("place", entry.colo) : null,
      details: answer === null ? details : null,
      ...(entry.phases && isMeasured(entry) && { phases: entry.phases }),
      ...(entry.is_late && { is_late: true }),
    };
  }

  /** Reads packed checks; the directory is put in order once for all of them. */
  reader(): (monitorId: string, slotAt: number, check: PackedCheck) => StoredResult {
    const phrases = this.#wordsOf("phrase");
    const answers = new Map([...this.#wordsOf("answer")].map(([number, text]) => [number, readAnswer(text)]));
    const places = this.#wordsOf("place");
    return (monitor_id, slotAt, { outcome, latency_ms, delay_ms, message, place, details, is_late }) => {
      const colo = place === null ? undefined : places.get(place);
      const answer = typeof message === "number" ? answers.get(message) : undefined;
      const found = details === null ? answer?.details : JSON.parse(details);
      return {
        monitor_id,
        checked_at: slotAt + delay_ms,
        outcome,
        latency_ms,
        message: typeof message === "string" ? message : (answer?.message ?? phrases.get(message) ?? ""),
        ...(colo && { colo }),
        ...(found && { details: found }),
        ...(is_late && { is_late }),
      };
    };
  }

  numberOf(kind: WordKind, text: string): number {
    const word = `${kind} ${text}`;
    const known = this.#numbers.get(word);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#sql.exec("INSERT INTO words (kind, text, number) VALUES (?, ?, ?)", kind, text, number);
    this.#numbers.set(word, number);
    return number;
  }

  /** Those of anything but a success, and of a success where they are not those of the one before. */
  #newDetails(member: number, { outcome, details = {} }: StoredResult): string | null {
    const text = JSON.stringify(details);
    const isKnown = outcome === "success" && this.#details.get(member) === text;
    if (outcome === "success") this.#details.set(member, text);
    return isKnown || text === "{}" || text.length > DETAILS_LENGTH_MAX ? null : text;
  }

  /** Null where there are no details, or the directory does not take them. */
  #answerOf({ message, details = {} }: StoredResult): number | null {
    const text = JSON.stringify([message, details]);
    if (Object.keys(details).length === 0 || text.length > ANSWER_LENGTH_MAX) return null;
    return this.#takes("answer", text) ? this.numberOf("answer", text) : null;
  }

  #phraseOf(message: string): number | string {
    return this.#takes("phrase", message) ? this.numberOf("phrase", message) : message;
  }

  #takes(kind: WordKind, text: string): boolean {
    return this.#numbers.has(`${kind} ${text}`) || this.#wordsOf(kind).size < PHRASES_MAX;
  }

  #wordsOf(kind: WordKind): Map<number, string> {
    const words = [...this.#numbers].filter(([word]) => word.startsWith(`${kind} `));
    return new Map(words.map(([word, number]) => [number, word.slice(kind.length + 1)]));
  }
}

const isMeasured = ({ outcome }: StoredResult) => outcome === "success" || outcome === "slow";

function readAnswer(text: string): { message: string; details: Record<string, unknown> } {
  const [message, details] = JSON.parse(text);
  return { message, details };
}
