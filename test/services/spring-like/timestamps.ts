/** Time zone of the company. */
const ZONE = 'Europe/Luxembourg';
const offsets = new Intl.DateTimeFormat('en', { timeZone: ZONE, timeZoneName: 'longOffset' });

/** An instant in microseconds since 1970. */
export type Instant = bigint;

export function now(): Instant {
  return BigInt(Math.round((performance.timeOrigin + performance.now()) * 1_000));
}

export function plusMilliseconds(instant: Instant, milliseconds: number): Instant {
  return instant + BigInt(Math.round(milliseconds * 1_000));
}

/** Formats an `OffsetDateTime` of the company's zone: as many digits of a second as the instant has. */
export function formatLocal(instant: Instant): string {
  const fraction = String(instant % 1_000_000n)
    .padStart(6, '0')
    .replace(/0+$/, '');
  const { text, offset } = localTime(instant);
  return text + (fraction === '' ? '' : `.${fraction}`) + offset;
}

/** Formats the instant in UTC, in whole seconds. */
export function formatSeconds(instant: Instant): string {
  return `${utcTime(instant).slice(0, 19)}+00:00`;
}

/** Formats the instant like Spring's error attributes: in UTC, with milliseconds. */
export function formatMilliseconds(instant: Instant): string {
  return `${utcTime(instant).slice(0, 23)}+00:00`;
}

/** Returns the date in the company's zone. */
export function localDate(instant: Instant): string {
  return localTime(instant).text.slice(0, 10);
}

/** Returns the next day in the company's zone that is no Saturday or Sunday. */
export function nextBusinessDay(instant: Instant): string {
  const date = new Date(localDate(instant));
  do date.setUTCDate(date.getUTCDate() + 1);
  while (date.getUTCDay() === 0 || date.getUTCDay() === 6);
  return date.toISOString().slice(0, 10);
}

function utcTime(instant: Instant): string {
  return new Date(Number(instant / 1_000n)).toISOString();
}

function localTime(instant: Instant): { readonly text: string; readonly offset: string } {
  const milliseconds = Number(instant / 1_000n);
  const name =
    offsets.formatToParts(milliseconds).find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT';
  const offset = name === 'GMT' ? '+00:00' : name.replace('GMT', '');
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4, 6));
  const shift = (offset.startsWith('-') ? -minutes : minutes) * 60_000;
  return { text: new Date(milliseconds + shift).toISOString().slice(0, 19), offset };
}
