import type { Profile } from './profile.ts';

/** Milliseconds since 1970-01-01 UTC. */
export type Instant = number;

/** Formats an instant. By default whole seconds with an offset (docs/contract.md#transport). */
export function toTimestamp(instant: Instant, form: Profile['timestamps'] = 'offset'): string {
  const time = new Date(instant);
  const fraction = form === 'fraction' ? `.${String(time.getUTCMilliseconds()).padStart(3, '0')}` : '';
  const date = `${time.getUTCFullYear()}-${pad(time.getUTCMonth() + 1)}-${pad(time.getUTCDate())}`;
  return `${date}T${pad(time.getUTCHours())}:${pad(time.getUTCMinutes())}:${pad(time.getUTCSeconds())}${fraction}${offsets[form]}`;
}

function pad(part: number): string {
  return part < 10 ? `0${part}` : `${part}`;
}

const offsets = { offset: '+00:00', zulu: 'Z', compactOffset: '+0000', fraction: '+00:00' } as const;
