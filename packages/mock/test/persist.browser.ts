import { afterEach, describe, expect, it } from 'vitest';
import { createMock, persist } from '@service/mock';
import { createCaller, order } from './support.ts';

const store = {
  load: () => sessionStorage.getItem('sandbox'),
  save: (text: string) => sessionStorage.setItem('sandbox', text),
};

describe('persist with sessionStorage', () => {
  afterEach(() => sessionStorage.clear());

  it('survives a reload of the page', async () => {
    const before = createMock({ clock: 'manual' });
    await persist(before, store);
    const { body } = await createCaller(before).post('/payments', order());
    const after = createMock({ clock: 'manual' });
    await persist(after, store);
    expect(after.account).toEqual(before.account);
    expect((await createCaller(after).get(`/payments/${String(body.data.id)}`)).body).toEqual(body);
    expect(await after.sandbox.stateHash()).toBe(await before.sandbox.stateHash());
  });

  it('reports a state that exceeds the storage quota', async () => {
    const defects: unknown[] = [];
    const mock = createMock({ clock: 'manual', onDefect: (error) => defects.push(error) });
    await persist(mock, store);
    fillSession();
    const { status } = await createCaller(mock).post('/payments', order({ purpose: 'x'.repeat(255) }));
    expect(status).toBe(201);
    expect(defects.map((error) => (error as Error).name)).toContain('QuotaExceededError');
  });
});

/** Fills the storage to its last character. */
function fillSession(): void {
  for (let size = 2 ** 24; size >= 1; size /= 2) {
    try {
      sessionStorage.setItem(`filler ${size}`, 'x'.repeat(size));
    } catch {
      // Larger than the remaining quota.
    }
  }
}
