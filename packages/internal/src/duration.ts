const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** The units of a duration in text. */
export type DurationUnit = keyof typeof units;

/** Parses a duration such as `500ms`, `3s`, `5m`, `2h` or `1d` into whole milliseconds, NaN for other text. */
export function parseDurationText(text: string): number {
  const [, figure, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
  return unit === undefined ? Number.NaN : Math.round(Number(figure) * units[unit as DurationUnit]);
}

/** A length of time: milliseconds as a number, or text such as `'500ms'`, `'3s'`, `'5m'`, `'2h'` or `'1d'`. */
export type Duration = number | `${number}${DurationUnit}`;

/** Converts a duration to milliseconds. */
export function toMilliseconds(given: Duration): number {
  return typeof given === 'string' ? parseDurationText(given) : given;
}
