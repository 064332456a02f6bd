import { describe, expect, it } from 'vitest';
import { createMock } from '../src/index.ts';

describe('createMock', () => {
  it('treats an undefined option as absent', async () => {
    const names = 'clock start seed profile accounts baseUrl cors requestLog'.split(' ');
    for (const name of names) await createMock({ [name]: undefined }).close();
    expect(names).toHaveLength(8);
  });
});
