import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDocument } from '../src/output.ts';

describe('a document for a reader', () => {
  it('has the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = formatDocument(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('keeps lists and short objects on one line', () => {
    const codes = Array.from({ length: 40 }, () => 'EUR');
    expect(formatDocument({ codes, fees: { percent: '0.5' }, rows: [{ id: '{id}' }, 'x'.repeat(100)] })).toBe(
      [
        '{',
        `  "codes": [ ${codes.map((code) => `"${code}"`).join(', ')} ],`,
        '  "fees": { "percent": "0.5" },',
        '  "rows": [',
        '    { "id": "{id}" },',
        `    "${'x'.repeat(100)}"`,
        '  ]',
        '}',
      ].join('\n'),
    );
  });
});
