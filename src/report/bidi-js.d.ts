declare module "bidi-js" {
  interface Bidi {
    getEmbeddingLevels(text: string, direction?: "ltr" | "rtl" | "auto"): { levels: Uint8Array };
    /** Null where a character has no mirror image. */
    getMirroredCharacter(character: string): string | null;
  }
  export default function createBidi(): Bidi;
}
