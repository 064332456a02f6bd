/**
 * Returns the message for an unknown name: with the known name that is similar, or with all known names.
 * Ignores case, underscores and hyphens.
 */
export function describeUnknown(name: string, known: readonly string[]): string {
  const edits = Math.min(2, Math.max(1, name.length / 3));
  const nearest = known.find((one) => isNear(normalize(name), normalize(one), edits));
  const hint = nearest === undefined ? `Use one of: ${known.join(', ')}.` : `Did you mean "${nearest}"?`;
  return `${JSON.stringify(name.slice(0, 40))} is unknown. ${hint}`;
}

function normalize(name: string): string {
  return name.slice(0, 40).toLowerCase().replaceAll(/[_-]/g, '');
}

/**
 * Returns true if at most `edits` insertions, deletions and replacements of a letter turn one text into the
 * other.
 */
function isNear(a: string, b: string, edits: number): boolean {
  if (a === b || edits < 1) return a === b;
  if (a !== '' && a[0] === b[0]) return isNear(a.slice(1), b.slice(1), edits);
  const [restA, restB] = [a.slice(1), b.slice(1)];
  return [
    [restA, b],
    [a, restB],
    [restA, restB],
  ].some(([one = '', other = '']) => isNear(one, other, edits - 1));
}
