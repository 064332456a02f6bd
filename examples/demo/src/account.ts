/** Tells what happens, line by line, and counts what is off. */
export type Account = {
  chapter: (title: string) => void;
  say: (text: string) => void;
  /** Tells a fact; when it does not hold, the demo fails. */
  check: (fact: string, holds: boolean) => void;
  readonly failures: number;
};

/** Creates an account of the demo that is written by `write`. */
export function createAccount(write: (line: string) => void): Account {
  let failures = 0;
  return {
    chapter: (title) => write(`\n${title}`),
    say: (text) => write(`    ${text}`),
    check(fact, holds) {
      if (!holds) failures += 1;
      write(`  ${holds ? '✓' : '✗ NOT SO:'} ${fact}`);
    },
    get failures() {
      return failures;
    },
  };
}
