import { redactText } from './errors/redact.ts';

/** Returns the known name that a misspelt one most likely means, or undefined. Case and underscores do not count. */
export function findNearest(name: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, distance: distance(plain(name), plain(candidate)) }))
    .toSorted((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best !== undefined && best.distance <= Math.max(1, name.length / 3) ? best.candidate : undefined;
}

/** Describes an unknown name and, where one is near, the name that was meant. */
export function describeUnknown(name: string, known: readonly string[]): string {
  const nearest = findNearest(name, known);
  const shown = JSON.stringify(redactText(name.slice(0, 40)));
  if (nearest !== undefined) return `${shown} is not known here. Did you mean "${nearest}"?`;
  return `${shown} is not known here. Known are: ${known.join(', ')}.`;
}

function plain(name: string): string {
  return name.slice(0, 40).toLowerCase().replaceAll(/[_-]/g, '');
}

/** Counts the single-letter edits between two short texts (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of Array.from(a).entries()) {
    const next = [i + 1];
    for (const [j, other] of Array.from(b).entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
