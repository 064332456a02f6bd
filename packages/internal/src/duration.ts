const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Parses a duration such as `500ms`, `3s`, `5m`, `2h` or `1d` into whole milliseconds, NaN for other text. */
export function parseDurationText(text: string): number {
  if (!/^\d+(?:\.\d+)?(?:ms|[smhd])$/.test(text)) return Number.NaN;
  const unit = text.endsWith('ms') ? 'ms' : text.slice(-1);
  return Math.round(Number(text.slice(0, -unit.length)) * units[unit as keyof typeof units]);
}

/** A length of time: milliseconds as a number, or text such as `'500ms'`, `'3s'`, `'5m'`, `'2h'` or `'1d'`. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

/** Converts a duration to milliseconds. */
export function toMilliseconds(given: Duration): number {
  return typeof given === 'string' ? parseDurationText(given) : given;
}
