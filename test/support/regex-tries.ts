/**
 * How often `run` tries a regular expression: what a parser made of them does, counted, because its time depends on the
 * machine.
 */
export function countRegexTries(run: () => void): number {
  const { exec } = RegExp.prototype;
  let tries = 0;
  // `test`, `match`, `replace` and `split` go through `exec`, too.
  RegExp.prototype.exec = function (this: RegExp, text: string) {
    tries += 1;
    return exec.call(this, text);
  };
  try {
    run();
  } finally {
    RegExp.prototype.exec = exec;
  }
  return tries;
}
