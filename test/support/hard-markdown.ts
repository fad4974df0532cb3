const LENGTH = 10_000;

/** Parsers keep what they read last; tests of their work read so much else before that nothing of it is left. */
export function forgetMarkdown(parse: (text: string) => unknown): void {
  for (let n = 0; n < 60; n++) parse(repeatPiece(`${n} words `));
}

/** The piece again and again, as long as an update may be. */
export function repeatPiece(piece: string): string {
  return piece.repeat(Math.ceil(LENGTH / piece.length)).slice(0, LENGTH);
}

export const PROSE = repeatPiece("Checkout is *failing* for some customers; see [status](https://example.com/x).\n\n");

/** Openings that never close and structures that a parser has to try again and again. */
export const HARD_PIECES = [
  ...["*", "_", "**a", "a*", "[", "![", "[a](", '[a](b "', "`", "``a", "~~a", "<", "<a ", "<!--", "<?", "!", "|", "\\"],
  ...["a\n", "a  \n", "    a\n", "a\n===\n", "- a\n  ", "> ", "1. ", "|a|b|\n|-|-|\n", "---\n", "\n", "\t", "   "],
  ...["* a\n", "> > > ", "a@b.", "www.a.", "http://a", "[a]: b\n", "[a]", "&a", "\u00a0", "😀"],
];
export const HARD_PREFIXES = ["", "a", "* ", "[", "> ", "```"];
