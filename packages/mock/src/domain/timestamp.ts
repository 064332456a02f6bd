import type { Profile } from './profile.ts';

/** Counts milliseconds since 1970-01-01 UTC. */
export type Instant = number;

/** Writes an instant as the service does: whole seconds with offset (contract.md 1), or in another form of a profile. */
export function toTimestamp(instant: Instant, form: Profile['timestamps'] = 'offset'): string {
  const time = new Date(instant);
  const fraction = form === 'fraction' ? `.${String(time.getUTCMilliseconds()).padStart(3, '0')}` : '';
  const date = `${time.getUTCFullYear()}-${pad(time.getUTCMonth() + 1)}-${pad(time.getUTCDate())}`;
  return `${date}T${pad(time.getUTCHours())}:${pad(time.getUTCMinutes())}:${pad(time.getUTCSeconds())}${fraction}${OFFSETS[form]}`;
}

function pad(part: number): string {
  return part < 10 ? `0${part}` : `${part}`;
}

const OFFSETS = { offset: '+00:00', zulu: 'Z', compactOffset: '+0000', fraction: '+00:00' } as const;
