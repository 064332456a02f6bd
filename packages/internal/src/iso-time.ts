const TIMESTAMP =
  /^(\d{4})(-?)(\d\d)\2(\d\d)[Tt ](\d\d)(?:(:?)(\d\d)(?:\6(\d\d)(?:[.,](\d+))?)?)? ?(?:[Zz]|([+\u2212-])([01]\d|2[0-3])(?::?([0-5]\d))?)$/;

/**
 * Parses a timestamp that another program wrote into milliseconds since 1970: RFC 3339, and ISO 8601 in its
 * extended and basic form, with a UTC offset. Hour 24 is the start of the next day, and a leap second counts as
 * the second before it. Returns NaN for other values and an invalid day.
 */
export function parseTimestamp(value: unknown): number {
  const parts = TIMESTAMP.exec(typeof value === 'string' ? value : '') ?? [];
  const [, year, , month, day, hour, , minute = '00', second = '00', fraction = '', ...offset] = parts;
  const [sign = '+', offsetHour = '00', offsetMinute = '00'] = offset;
  const date = `${year}-${month}-${day}`;
  if (!isDay(date)) return Number.NaN;
  const time = `${hour}:${minute}:${second.replace('60', '59')}.${`${fraction}000`.slice(0, 3)}`;
  return Date.parse(`${date}T${time}${sign === '+' ? '+' : '-'}${offsetHour}:${offsetMinute}`);
}

const TIME = /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):\d\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)$/;

/**
 * Parses a time of a caller into milliseconds since 1970, such as `2026-01-31T12:00:00Z` or
 * `2026-01-31T13:00+01:00`. Returns NaN for other text, also for rare forms that `parseTimestamp` reads.
 */
export function parseIsoTime(text: string): number {
  const isTime = TIME.test(text) && isDay(text.slice(0, 10));
  return isTime ? Date.parse(addColon(text)) : Number.NaN;
}

/** Checks that a month has a day: some engines read 30 February as a day in March. */
function isDay(date: string): boolean {
  return new Date(date).getUTCDate() === Number(date.slice(8));
}

/** Adds the colon to a UTC offset: not every engine reads an offset without it. */
export function addColon(time: string): string {
  return time.replace(/([+-]\d\d)(\d\d)$/, '$1:$2');
}

/** Explains why `parseIsoTime` refuses a text. Returns undefined for text that is not similar to a time. */
export function explainIsoTime(text: string): string | undefined {
  const parts = /^(\d{4}-\d\d)-(\d\d)(?:[T ](\d\d)?.*?(Z|[+-]\d\d:?\d\d)?)?$/i.exec(text);
  if (parts === null) return undefined;
  const [, month = '', day = '', hour, offset] = parts;
  const length = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).getUTCDate();
  if (/-(?:0[1-9]|1[0-2])$/.test(month) && (Number(day) > length || day === '00'))
    return `${month} has ${length} days`;
  if (hour === undefined) return `add the time and its offset, such as ${month}-${day}T12:00:00Z`;
  return offset === undefined ? 'add Z or an offset such as +01:00' : undefined;
}
