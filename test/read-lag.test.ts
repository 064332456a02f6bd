// A service whose reads lag behind its creates, over real HTTP: the client, and the commands that read what they created.
import { createClient } from '@service/sdk';
import { describe, expect, it } from 'vitest';
import { startLaggingService } from './support/lagging-service.ts';

const input = { from_currency: 'USD', to_currency: 'EUR', amount: '10.00', beneficiary_name: 'Acme Ltd' };

describe.each([500, 2_000])('a client of a service whose reads lag by %i ms', (lag) => {
  it('retrieves a payment that it has just created', async () => {
    await using service = await startLaggingService({ lag });
    const { payments } = createClient({ apiKey: service.key, baseUrl: service.baseUrl });
    const { id } = await payments.create(input);
    expect(await payments.retrieve(id)).toMatchObject({ id });
  });

  it('waits for a payment that it has just created', async () => {
    await using service = await startLaggingService({ lag });
    const { payments } = createClient({ apiKey: service.key, baseUrl: service.baseUrl });
    const { id } = await payments.create(input);
    expect(await payments.waitFor(id)).toMatchObject({ id, status: 'completed' });
  });

  it('waits for a payment that another process has created', async () => {
    await using service = await startLaggingService({ lag });
    const [one, other] = [1, 2].map(() => createClient({ apiKey: service.key, baseUrl: service.baseUrl }));
    const { id } = await one!.payments.create(input);
    expect(await other!.payments.waitFor(id)).toMatchObject({ id, status: 'completed' });
  });

  it('believes a 404 once the read lag is over', async () => {
    await using service = await startLaggingService({ lag });
    const { payments } = createClient({ apiKey: service.key, baseUrl: service.baseUrl, readLag: lag / 5 });
    const { id } = await payments.create(input);
    await expect(payments.retrieve(id)).rejects.toMatchObject({ name: 'NotFoundError' });
    await expect(payments.waitFor(id)).rejects.toMatchObject({ name: 'NotFoundError' });
  });
});
