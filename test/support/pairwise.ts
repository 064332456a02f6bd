// Pairwise tests: rows that contain every pair of values of two settings. Most defects need at most two settings.

/** The index of one value of each setting. */
export type Row = Readonly<Record<string, number>>;

/** Formats a pair of values such as `numbers=1`, in any order. */
const toPair = (...values: readonly [string, string]): string => values.toSorted().join(' ');

/**
 * Returns rows that cover all pairs; equal settings give equal rows. Each row starts with the first missing pair. Then each
 * other setting, starting with the one that has the most values, takes the value that adds the most missing pairs.
 */
export function coverPairs(settings: Readonly<Record<string, readonly unknown[]>>): Row[] {
  const all = Object.entries(settings).map(([name, values]) => values.map((_, at) => `${name}=${at}`));
  const missing = new Set(
    all.flatMap((ones, place) =>
      all
        .slice(place + 1)
        .flatMap((others) => ones.flatMap((one) => others.map((other) => toPair(one, other)))),
    ),
  );
  const byCount = all.toSorted((a, b) => b.length - a.length);
  const rows: Row[] = [];
  for (const pair of missing) {
    const chosen = pair.split(' ');
    for (const values of byCount) {
      if (values.some((value) => chosen.includes(value))) continue;
      const gains = values.map((value) => chosen.filter((other) => missing.has(toPair(value, other))).length);
      chosen.push(values[gains.indexOf(Math.max(...gains))]!);
    }
    for (const one of chosen) for (const other of chosen) missing.delete(toPair(one, other));
    rows.push(
      Object.fromEntries(chosen.map((value) => value.split('=')).map(([name, at]) => [name, Number(at)])),
    );
  }
  return rows;
}
