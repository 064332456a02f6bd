// Few rows in which any two values of any two settings meet: most faults of settings need no more than two to show.

/** Gives the values that each setting can take. */
export type Settings = Readonly<Record<string, readonly unknown[]>>;

/** Gives one value of each setting, by its position. */
export type Row = Readonly<Record<string, number>>;

/** Names the meeting of two values, the settings in the order in which they are listed. */
function nameOf(one: string, atOne: number, other: string, atOther: number): string {
  return `${one}=${atOne} ${other}=${atOther}`;
}

/** Lists all pairs of values of two settings. */
export function listPairs(settings: Settings): Set<string> {
  const pairs = new Set<string>();
  for (const [place, [one, ones]] of Object.entries(settings).entries()) {
    for (const [other, others] of Object.entries(settings).slice(place + 1)) {
      for (const atOne of ones.keys()) {
        for (const atOther of others.keys()) pairs.add(nameOf(one, atOne, other, atOther));
      }
    }
  }
  return pairs;
}

/** Lists the pairs that meet in a row. */
export function pairsOf(row: Row): string[] {
  const names = Object.keys(row);
  return names.flatMap((one, place) =>
    names.slice(place + 1).map((other) => nameOf(one, row[one] ?? -1, other, row[other] ?? -1)),
  );
}

/**
 * Makes rows that cover all pairs, always the same ones for the same settings. Each row starts from the first pair that is
 * missing; then one setting after the other, those with most values first, takes the value that brings most missing pairs.
 */
export function coverPairs(settings: Settings): Row[] {
  const names = Object.keys(settings);
  const byBreadth = names.toSorted((a, b) => (settings[b]?.length ?? 0) - (settings[a]?.length ?? 0));
  const missing = listPairs(settings);
  const rows: Row[] = [];
  while (missing.size > 0) {
    const chosen = new Map(readPair([...missing][0] ?? ''));
    for (const name of byBreadth) {
      if (!chosen.has(name)) chosen.set(name, chooseValue(name, { chosen, missing, settings }));
    }
    const row = Object.fromEntries(names.map((name) => [name, chosen.get(name) ?? 0]));
    for (const pair of pairsOf(row)) missing.delete(pair);
    rows.push(row);
  }
  return rows;
}

function readPair(pair: string): (readonly [string, number])[] {
  return pair.split(' ').map((half) => {
    const [name = '', at] = half.split('=');
    return [name, Number(at)] as const;
  });
}

type Choice = {
  readonly chosen: ReadonlyMap<string, number>;
  readonly missing: ReadonlySet<string>;
  readonly settings: Settings;
};

function chooseValue(name: string, { chosen, missing, settings }: Choice): number {
  const names = Object.keys(settings);
  const gains = (settings[name] ?? []).map((_, at) => {
    const pairs = [...chosen].map(([other, atOther]) =>
      names.indexOf(name) < names.indexOf(other)
        ? nameOf(name, at, other, atOther)
        : nameOf(other, atOther, name, at),
    );
    return pairs.filter((pair) => missing.has(pair)).length;
  });
  return gains.indexOf(Math.max(...gains));
}
