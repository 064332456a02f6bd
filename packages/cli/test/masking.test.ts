import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskKeys } from '../src/output.ts';
import { escapeControls } from '../src/terminal.ts';

const rest = fc.stringMatching(/^[\w-]{1,60}$/);
const prefix = fc.constantFrom('service_test_', 'service_live_');

describe('masking of output', () => {
  it('keeps the last four characters of a long key, and none of a short key', () => {
    expect(maskKeys('service_live_0123456789abcdef!')).toBe('service_live_…def!');
    expect(maskKeys('service_test_0123456789')).toBe('service_test_…');
  });

  it('masks every key in any text, and is idempotent', () => {
    fc.assert(
      fc.property(fc.string(), prefix, rest, fc.string(), (before, start, key, after) => {
        const masked = maskKeys(`${before} ${start}${key} ${after}`);
        expect(masked).not.toContain(`${start}${key}`);
        expect(maskKeys(masked)).toBe(masked);
      }),
    );
  });

  it('keeps JSON valid', () => {
    fc.assert(
      fc.property(prefix, rest, fc.json(), (start, key, json) => {
        const text = JSON.stringify({
          key: `${start}${key}`,
          [`${start}${key}`]: JSON.parse(json) as unknown,
        });
        expect(() => JSON.parse(maskKeys(text)) as unknown).not.toThrow();
      }),
    );
  });

  it('escapes every character that controls a terminal', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(escapeControls(text)).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u);
      }),
    );
  });
});
