/** The printed output of the demo, with a count of failed checks. */
export interface Report {
  section: (title: string) => void;
  note: (text: string) => void;
  /** Prints a checked statement. If `isTrue` is false, the demo exits with 1. */
  check: (statement: string, isTrue: boolean) => void;
  readonly failures: number;
}

/** Creates a report that passes each line to `write`. */
export function createReport(write: (line: string) => void): Report {
  let failures = 0;
  return {
    section: (title) => write(`\n${title}`),
    note: (text) => write(`    ${text}`),
    check(statement, isTrue) {
      if (!isTrue) failures += 1;
      write(`  ${isTrue ? '✓' : '✗ FAILED:'} ${statement}`);
    },
    get failures() {
      return failures;
    },
  };
}
