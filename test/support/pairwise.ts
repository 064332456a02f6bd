// Pairwise tests: rows that contain every pair of values of two settings. Most defects need at most two settings.

/** The possible values of each setting. */
export type Settings = Readonly<Record<string, readonly unknown[]>>;

/** The index of one value of each setting. */
export type Row = Readonly<Record<string, number>>;

/** Formats a pair of values. The settings must be in their listed order. */
function formatPair(one: string, atOne: number, other: string, atOther: number): string {
  return `${one}=${atOne} ${other}=${atOther}`;
}

/** Returns all pairs of values of two settings. */
function listPairs(settings: Settings): Set<string> {
  const pairs = new Set<string>();
  for (const [place, [one, ones]] of Object.entries(settings).entries()) {
    for (const [other, others] of Object.entries(settings).slice(place + 1)) {
      for (const atOne of ones.keys()) {
        for (const atOther of others.keys()) pairs.add(formatPair(one, atOne, other, atOther));
      }
    }
  }
  return pairs;
}

/** Returns the pairs in a row. */
function pairsOf(row: Row): string[] {
  const names = Object.keys(row);
  return names.flatMap((one, place) =>
    names.slice(place + 1).map((other) => formatPair(one, row[one] ?? -1, other, row[other] ?? -1)),
  );
}

/**
 * Returns rows that cover all pairs; equal settings give equal rows. Each row starts with the first missing pair. Then each
 * other setting, starting with the one that has the most values, takes the value that adds the most missing pairs.
 */
export function coverPairs(settings: Settings): Row[] {
  const names = Object.keys(settings);
  const byValueCount = names.toSorted((a, b) => (settings[b]?.length ?? 0) - (settings[a]?.length ?? 0));
  const missing = listPairs(settings);
  const rows: Row[] = [];
  while (missing.size > 0) {
    const chosen = new Map(parsePair([...missing][0] ?? ''));
    for (const name of byValueCount) {
      if (!chosen.has(name)) chosen.set(name, chooseValue(name, { chosen, missing, settings }));
    }
    const row = Object.fromEntries(names.map((name) => [name, chosen.get(name) ?? 0]));
    for (const pair of pairsOf(row)) missing.delete(pair);
    rows.push(row);
  }
  return rows;
}

function parsePair(pair: string): (readonly [string, number])[] {
  return pair.split(' ').map((half) => {
    const [name = '', at] = half.split('=');
    return [name, Number(at)] as const;
  });
}

interface Choice {
  readonly chosen: ReadonlyMap<string, number>;
  readonly missing: ReadonlySet<string>;
  readonly settings: Settings;
}

function chooseValue(name: string, { chosen, missing, settings }: Choice): number {
  const names = Object.keys(settings);
  const gains = (settings[name] ?? []).map((_, at) => {
    const pairs = [...chosen].map(([other, atOther]) =>
      names.indexOf(name) < names.indexOf(other)
        ? formatPair(name, at, other, atOther)
        : formatPair(other, atOther, name, at),
    );
    return pairs.filter((pair) => missing.has(pair)).length;
  });
  return gains.indexOf(Math.max(...gains));
}
