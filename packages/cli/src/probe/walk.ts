import { type Finding, found, unknown } from './finding.ts';
import type { Watched } from './watch.ts';

const known: ReadonlySet<string> = new Set(['pending', 'processing', 'completed', 'failed']);

/** Judges which way a payment went; `heard` are its statuses that came by other ways than by looking. */
export function judgeWalk(watched: Watched, heard: readonly string[]): Finding[] {
  const statuses = [...new Set([...heard, ...watched.statuses])];
  const isOver = watched.statuses.includes('completed');
  const evidence = isOver
    ? `seen: ${statuses.join(', ')}; none for more than ${Math.ceil(watched.gap)} ms besides`
    : 'no payment completed while it was watched, --timeout watches longer';
  const isWalk = statuses.includes('processing');
  const isWhole = isOver && watched.gap <= BLINK;
  const stranger = statuses.find((status) => !known.has(status));
  const transitions = isWalk
    ? found('transitions', 'walk', `seen: ${statuses.join(', ')}`)
    : judgeSkip(watched, isWhole, evidence);
  if (stranger !== undefined)
    return [transitions, found('unknownStatus', 'invented', `seen: ${statuses.join(', ')}`)];
  // Where a payment skips statuses, it may skip one that nobody knows as well.
  return [
    transitions,
    isWhole && isWalk ? found('unknownStatus', 'none', evidence) : unknown('unknownStatus', evidence),
  ];
}

const ENOUGH_LOOKS = 5;

/** Holds for how many milliseconds a status may go unseen and yet be said not to be there. */
const BLINK = 500;

/** A status that was never seen may have gone by between two looks, unless the one before was seen again and again. */
function judgeSkip({ glances }: Watched, isWhole: boolean, evidence: string): Finding {
  const looks = glances.reduce((sum, one) => (one.status === 'pending' ? sum + one.looks : sum), 0);
  return isWhole && looks >= ENOUGH_LOOKS
    ? found('transitions', 'skip', `${evidence}; pending ${looks} times`)
    : unknown('transitions', evidence);
}
