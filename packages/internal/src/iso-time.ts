const TIME = /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):?[0-5]\d)$/;

/**
 * Parses an ISO 8601 time with a UTC offset into milliseconds since 1970, such as `2026-01-31T12:00:00Z` or
 * `2026-01-31T13:00+01:00`. Returns NaN for other text, an invalid day, hour 24 and a leap second.
 */
export function parseIsoTime(text: string): number {
  // Some engines read 30 February as a day in March.
  const isTime = TIME.test(text) && new Date(text.slice(0, 10)).getUTCDate() === Number(text.slice(8, 10));
  return isTime ? Date.parse(addColon(text)) : Number.NaN;
}

/** Adds the colon to a UTC offset: not every engine reads an offset without it. */
export function addColon(time: string): string {
  return time.replace(/([+-]\d\d)(\d\d)$/, '$1:$2');
}

/** Explains why `parseIsoTime` refuses a text. Returns undefined for text that is not similar to a time. */
export function explainIsoTime(text: string): string | undefined {
  const parts = /^(\d{4}-\d\d)-(\d\d)(?:[T ](\d\d)?.*?(:60(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/i.exec(text);
  if (parts === null) return undefined;
  const [, month = '', day = '', hour, leapSecond, offset] = parts;
  const length = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).getUTCDate();
  if (/-(?:0[1-9]|1[0-2])$/.test(month) && (Number(day) > length || day === '00'))
    return `${month} has ${length} days`;
  if (hour === undefined) return `add the time and its offset, such as ${month}-${day}T12:00:00Z`;
  if (offset === undefined) return 'add Z or an offset such as +01:00';
  if (hour === '24') return 'write 24:00 as 00:00 of the next day';
  return leapSecond === undefined ? undefined : 'write a leap second as second 59';
}
