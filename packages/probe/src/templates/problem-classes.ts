import { hasDetails, type IssueSample, MARK } from './issues.ts';
import { isSameJson, readTimestampForm } from './known.ts';
import { listLeaves, normalizeNames, type Path, writePath } from './places.ts';

/**
 * Returns the responses to invalid requests in groups with the same status and the same codes, the largest group first. A
 * code is a text without spaces that differs between responses for another reason than the request. `path` is the place
 * of the details of fields.
 */
export function groupProblems(
  samples: readonly IssueSample[],
  path: Path | undefined,
): readonly (readonly IssueSample[])[] {
  const leaves = samples.map((each) => ({ each, codes: listCodes(each, path) }));
  const random = findRandom(leaves.map(({ each, codes }) => ({ ...each, codes })));
  const groups = new Map<string, IssueSample[]>();
  for (const { each, codes } of leaves) {
    const key = JSON.stringify([statusOf(each), ...codes.filter(([name]) => !random.has(name))]);
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return [...groups.values()].toSorted((one, other) => other.length - one.length);
}

type Code = readonly [path: string, value: unknown];

function statusOf({ sample: { known } }: IssueSample): unknown {
  const { status } = known;
  return status?.kind === 'count' ? status.count : undefined;
}

/** Returns the values of a response outside of the details, without sentences, values of the request and known ones. */
function listCodes(issue: IssueSample, path: Path | undefined): Code[] {
  const { field, value, sample } = issue;
  const { json, known } = sample;
  const isPlaced = path !== undefined && hasDetails(issue, path);
  const texts = new Set(
    Object.entries(known).flatMap(([name, each]) =>
      each.kind === 'text' && each.text !== null && name !== 'type' ? [each.text] : [],
    ),
  );
  return listLeaves(isPlaced ? writePath(json, path, MARK) : json).flatMap(([name, leaf]): Code[] => {
    if (isSameJson(leaf, value)) return [];
    if (typeof leaf !== 'string') return [[name, leaf]];
    if (/\s/.test(leaf) || texts.has(leaf) || readTimestampForm(leaf) !== undefined) return [];
    return [[name, field === '' ? leaf : normalizeNames(leaf).replaceAll(field, '{field}')]];
  });
}

/** Returns the paths of values that differ between two responses to the same request. */
function findRandom(
  all: readonly (IssueSample & { readonly codes: readonly Code[] })[],
): ReadonlySet<string> {
  const random = new Set<string>();
  for (const one of all)
    for (const other of all) {
      if (one === other || one.kind !== other.kind || !isSameJson(one.request, other.request)) continue;
      const values = new Map(other.codes);
      for (const [path, value] of one.codes) if (values.get(path) !== value) random.add(path);
    }
  return random;
}
