import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../../test/support/random.ts';
import { TextIndex } from '../../src/intents/text-index.ts';

describe('TextIndex', () => {
  it('numbers different texts in the order of their addition', () => {
    const random = createRandom(1);
    const index = new TextIndex();
    const numbers = new Map<string, number>();
    for (let step = 0; step < 20_000; step += 1) {
      const text =
        ['', 'ref-', 'é\u{1f511}', 'x'.repeat(70)][step % 4] + String(Math.floor(random() * 6_000));
      expect(index.find(text)).toBe(numbers.get(text) ?? -1);
      if (random() < 0.5) continue;
      if (!numbers.has(text)) numbers.set(text, numbers.size);
      expect(index.add(text)).toBe(numbers.get(text));
    }
    expect(index.size).toBe(numbers.size);
    for (const [text, number] of numbers) {
      expect(index.find(text)).toBe(number);
      expect(index.get(number)).toBe(text);
    }
  });

  it('has the empty text, and texts that are the start of another one', () => {
    const index = new TextIndex();
    for (const text of ['ab', '', 'a', 'abc']) index.add(text);
    expect(['ab', '', 'a', 'abc', 'b'].map((text) => index.find(text))).toEqual([0, 1, 2, 3, -1]);
  });

  it('compares texts by their bytes: in the order of code units for the characters of a reference', () => {
    const texts = ['b', 'a', 'B', 'a-1', '', '~', 'a1', '_'];
    const index = new TextIndex();
    for (const text of texts) index.add(text);
    const numbers = texts.map((_, number) => number).toSorted((a, b) => index.compare(a, b));
    expect(numbers.map((number) => index.get(number))).toEqual(texts.toSorted());
    expect(index.compare(1, 1)).toBe(0);
  });
});
