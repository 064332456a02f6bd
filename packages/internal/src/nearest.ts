/** Returns the known name that is similar to another name. Ignores case, underscores and hyphens. */
export function findNearest(name: string, known: readonly string[]): string | undefined {
  const shown = name.slice(0, MAX_SHOWN);
  const edits = name.length < 6 ? 1 : 2;
  return known.find((one) => isNear(normalize(shown), normalize(one), edits));
}

const MAX_SHOWN = 40;

/**
 * Returns the message for an unknown name: with the known name that is similar, or with all known names.
 */
export function describeUnknown(name: string, known: readonly string[]): string {
  const shown = name.slice(0, MAX_SHOWN);
  const nearest = findNearest(name, known);
  const hint = nearest === undefined ? `Use one of: ${known.join(', ')}.` : `Did you mean "${nearest}"?`;
  return `${JSON.stringify(shown)} is unknown. ${hint}`;
}

function normalize(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '');
}

/**
 * Returns true if at most `edits` insertions, deletions and replacements of a letter turn one text into the
 * other.
 */
function isNear(a: string, b: string, edits: number): boolean {
  if (a === b) return true;
  const [restA, restB] = [a.slice(1), b.slice(1)];
  if (a[0] === b[0]) return isNear(restA, restB, edits);
  return (
    edits > 0 &&
    (isNear(restA, b, edits - 1) || isNear(a, restB, edits - 1) || isNear(restA, restB, edits - 1))
  );
}
