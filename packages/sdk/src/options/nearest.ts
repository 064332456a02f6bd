import { redactText } from '../errors/redact.ts';

/** Describes an unknown name and, where one is near, the name that was meant. Case and underscores do not count. */
export function describeUnknown(name: string, known: readonly string[]): string {
  const edits = Math.min(2, Math.max(1, name.length / 3));
  const nearest = known.find((one) => isNear(plain(name), plain(one), edits));
  const hint = nearest === undefined ? `Known are: ${known.join(', ')}.` : `Did you mean "${nearest}"?`;
  return `${JSON.stringify(redactText(name.slice(0, 40)))} is not known here. ${hint}`;
}

function plain(name: string): string {
  return name.slice(0, 40).toLowerCase().replaceAll(/[_-]/g, '');
}

/** Tells whether some edits of a letter each make one text of the other. */
function isNear(a: string, b: string, edits: number): boolean {
  if (a === b || edits < 1) return a === b;
  if (a !== '' && a[0] === b[0]) return isNear(a.slice(1), b.slice(1), edits);
  const [shortA, shortB] = [a.slice(1), b.slice(1)];
  return [
    [shortA, b],
    [a, shortB],
    [shortA, shortB],
  ].some(([one = '', other = '']) => isNear(one, other, edits - 1));
}
