import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { explainIsoTime, parseIsoTime, parseTimestamp } from '@service/internal';
import { runs } from '../../../test/support/runs.ts';

const pad = (value: number, digits = 2): string => String(value).padStart(digits, '0');

/** The number of days of each month, from the rule of the Gregorian calendar. */
function daysOf(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
}

describe('parseIsoTime', () => {
  it('accepts exactly the days of the calendar, in every month of 400 years', () => {
    const wrong: string[] = [];
    let expected = Date.UTC(1900, 0, 1);
    for (let year = 1900; year < 2300; year += 1)
      for (let month = 0; month <= 13; month += 1)
        for (let day = 0; day <= 32; day += 1) {
          const text = `${year}-${pad(month)}-${pad(day)}T00:00:00Z`;
          const isDay = day >= 1 && day <= daysOf(year, month);
          if (!Object.is(parseIsoTime(text), isDay ? expected : Number.NaN)) wrong.push(text);
          if (isDay) expected += 86_400_000;
        }
    expect(wrong).toEqual([]);
    expect(expected).toBe(Date.UTC(2300, 0, 1));
  });

  it('reads every form of a time and of an offset', () => {
    const time = fc.record({
      instant: fc.integer({ min: Date.UTC(1, 0, 2), max: Date.UTC(9999, 11, 30) }),
      offset: fc.integer({ min: -1439, max: 1439 }),
      colon: fc.constantFrom(':', ''),
      digits: fc.integer({ min: 0, max: 9 }),
    });
    fc.assert(
      fc.property(time, ({ instant, offset, colon, digits }) => {
        const local = new Date(instant + offset * 60_000).toISOString();
        const fraction = digits === 0 ? '' : `.${`${local.slice(20, 23)}999999`.slice(0, digits)}`;
        const minutes = Math.abs(offset);
        const zone = `${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}${colon}${pad(minutes % 60)}`;
        const kept = 10 ** Math.max(0, 3 - digits);
        expect(parseIsoTime(local.slice(0, 19) + fraction + zone)).toBe(Math.floor(instant / kept) * kept);
      }),
      { numRuns: runs(500) },
    );
  });

  it.each([
    ['2026-01-31T12:00Z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31T12:00:00.5-00:00', '2026-01-31T12:00:00.500Z'],
    ['2028-02-29T23:59:59+23:59', '2028-02-29T00:00:59.000Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
  ])('reads %s', (text, expected) => {
    expect(new Date(parseIsoTime(text)).toISOString()).toBe(expected);
  });

  it.each([
    ['2026-02-30T00:00:00Z', '2026-02 has 28 days'],
    ['2026-02-30', '2026-02 has 28 days'],
    ['2026-02-28', 'add the time and its offset, such as 2026-02-28T12:00:00Z'],
    ['2026-03-01T00:00:00', 'add Z or an offset such as +01:00'],
    ['2026-03-01 12:00:00', 'add Z or an offset such as +01:00'],
    ['2026-03-01T24:00:00Z', undefined],
    ['2026-12-31T23:59:60Z', undefined],
    ['2026-03-01T25:00:00Z', undefined],
    ['2026-03-01T12:00:61Z', undefined],
    ['2026-03-01T12:00:00+24:00', undefined],
    ['2026-03-01T12:00:00+1:00', 'add Z or an offset such as +01:00'],
    ['2026-03-01T12:00:00,5Z', undefined],
    ['2026-03-01t12:00:00z', undefined],
    ['2026-03-01 12:00:00Z', undefined],
    ['2026-03-01T12:00:00Z\n', undefined],
    ['Mar 1, 2027', undefined],
    ['1772366400000', undefined],
    ['', undefined],
  ])('refuses %j', (text, reason) => {
    expect([parseIsoTime(text), explainIsoTime(text)]).toEqual([Number.NaN, reason]);
  });

  it.each([
    ['2026-03-01t12:00:00z', '2026-03-01T12:00:00.000Z'],
    ['2026-03-01 12:00:00 +0000', '2026-03-01T12:00:00.000Z'],
    ['2026-03-01T12:00:00,5Z', '2026-03-01T12:00:00.500Z'],
    ['2026-02-28T24:00:00Z', '2026-03-01T00:00:00.000Z'],
    ['2026-02-28T24:00:00,000-01', '2026-03-01T01:00:00.000Z'],
    ['2026-12-31T23:59:60.5+01:00', '2026-12-31T22:59:59.500Z'],
    ['20260301T120000Z', '2026-03-01T12:00:00.000Z'],
    ['2026-03-01T12:00:00+01', '2026-03-01T11:00:00.000Z'],
    ['0001-01-01T00:00:00.1234567890Z', '0001-01-01T00:00:00.123Z'],
  ])('refuses or reads %s, which parseTimestamp reads', (text, expected) => {
    expect(new Date(parseTimestamp(text)).toISOString()).toBe(expected);
  });

  it.each([
    '2026-02-30T00:00:00Z',
    '2026-03-01T24:00:01Z',
    '2026-0301T12:00:00Z',
    '2026-03-01T12:00:00',
    '2026-03-01',
    'Mar 1, 2027',
    '',
    null,
    5,
  ])('refuses %j, as parseTimestamp', (value) => {
    expect(parseTimestamp(value)).toBeNaN();
  });

  it('refuses any other text, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9TZ:+\-. ]{0,30}$/)), (text) => {
        const hasForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d.*(?:Z|[+-]\d\d:?\d\d)$/.test(text);
        expect(Number.isNaN(parseIsoTime(text)) || hasForm).toBe(true);
        expect(['string', 'undefined']).toContain(typeof explainIsoTime(text));
      }),
      { numRuns: runs(500) },
    );
  });
});
