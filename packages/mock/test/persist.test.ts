import { describe, expect, it } from 'vitest';
import { createMock, type Mock, persist } from '@service/mock';
import { keepData } from '@service/mock/node';
import { createCaller, createStillMock, order } from './support.ts';

/** A store in memory, with the saved texts. */
function createStore(text?: string) {
  const saved: string[] = text === undefined ? [] : [text];
  return { saved, load: () => saved.at(-1), save: (next: string) => void saved.push(next) };
}

/** A mock whose state is kept in a store. */
async function keep(store: Parameters<typeof persist>[1], options = {}): Promise<Mock> {
  const mock = createMock({ clock: 'manual', ...options });
  await persist(mock, store);
  return mock;
}

describe('persist', () => {
  it('saves each change before the response to its request', async () => {
    const store = createStore();
    const { post } = createCaller(await keep(store));
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      ids.push(String((await post('/payments', order())).body.data.id));
      expect(store.saved.at(-1)).toContain(ids.at(-1));
    }
    const restored = createCaller(await keep(createStore(store.saved.at(-1))), undefined);
    for (const id of ids) expect((await restored.get(`/payments/${id}`)).status).toBe(200);
  });

  it('saves changes of timers and of the control API, and one save at a time', async () => {
    let running = 0;
    let most = 0;
    const texts: string[] = [];
    const mock = await keep({
      load: () => null,
      async save(text) {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => void setImmediate(resolve));
        texts.push(text);
        running -= 1;
      },
    });
    const { post } = createCaller(mock);
    await Promise.all(Array.from({ length: 20 }, () => post('/payments', order())));
    await mock.sandbox.clock.advance('4s');
    await expect.poll(() => texts.at(-1)).toBe(JSON.stringify(mock.sandbox.snapshot()));
    mock.sandbox.accounts.suspend();
    await expect.poll(() => texts.at(-1)).toBe(JSON.stringify(mock.sandbox.snapshot()));
    expect(most).toBe(1);
  });

  it('restores the state, injects the faults of the options again, and resets to the options', async () => {
    const store = createStore();
    await createCaller(await keep(store)).post('/payments', order());
    const initial = { faults: [{ kind: 'latency', ms: 0 }], accounts: [{ name: 'of the options' }] };
    const mock = await keep(store, { initial });
    expect(mock.account.name).toBe('default');
    expect(mock.sandbox.faults.list()).toHaveLength(1);
    mock.sandbox.reset();
    expect(mock.account.name).toBe('of the options');
  });

  it('reports a failed save, and responds', async () => {
    const defects: unknown[] = [];
    const save = () => Promise.reject(new Error('no space'));
    const mock = await keep(
      { load: () => null, save },
      { onDefect: (error: unknown) => defects.push(error) },
    );
    expect((await createCaller(mock).post('/payments', order())).status).toBe(201);
    expect(defects).toContainEqual(new Error('no space'));
  });

  it.each(['{', '{}', '"text"'])('rejects the stored text %s', async (text) => {
    await expect(keep(createStore(text))).rejects.toThrow(
      'persist: the stored text is not the state of a sandbox. Remove it to start without it.',
    );
  });

  it('rejects a wrong store, and a second one', async () => {
    const { mock } = createStillMock();
    await expect(persist(mock, {} as never)).rejects.toThrow('an object with the functions load and save');
    await expect(persist({} as never, createStore())).rejects.toThrow('needs a mock from createMock');
    await persist(mock, createStore());
    await expect(persist(mock, createStore())).rejects.toThrow('is stored already');
    await expect(keepData(mock, 'never.data')).rejects.toThrow('has a data file already');
  });
});
