// A typical first program with all packages, except the handlers of MSW. Compiled with every supported version of TypeScript.
import { operations, type Payment } from '@service/contract';
import { createMock } from '@service/mock';
import { mountSandbox } from '@service/mock/next';
import { mountSandbox as createVitePlugin } from '@service/mock/vite';
import { listen } from '@service/mock/node';
import { loadSeedFile } from '@service/mock/seed-file';
import { compareProfile, probe } from '@service/probe';
import { listenForWebhooks } from '@service/probe/node';
import { createClient, rawAmount } from '@service/sdk';
import { createApi } from '@service/sdk/api';
import { createReceiver } from '@service/webhooks';
import { createAsyncVerifier } from '@service/webhooks/edge';

const mock = createMock({ clock: 'manual' });
const client = createClient({ apiKey: mock.account.testKey, baseUrl: mock.baseUrl, fetch: mock.fetch });
export const listening = listen(mock, { port: 0 });
export const { GET, POST } = mountSandbox(() => createMock({ accounts: 'open' }));
export const plugins = [createVitePlugin(createMock, { path: '/sandbox' })];
export const seeded = () => createMock({ initial: loadSeedFile('service.sandbox.yaml') });
export const pay = () => createClient(mock.clientOptions).payments;
export const api = createApi(client);
export const amountOf = (payment: Payment) => rawAmount(payment, 'send_amount');
export const receive = createReceiver({ secrets: 'a secret', on: {}, fallback: () => {} });
export const verifier = createAsyncVerifier({ secrets: 'a secret' });
export const paths: string[] = Object.values(operations).map(({ path }) => path);
export const measure = async (): Promise<number> => {
  const { testKey: apiKey } = mock.account;
  const webhooks = listenForWebhooks({ secret: 'a secret', port: 0 });
  const { findings, profile } = await probe(
    { apiKey, baseUrl: mock.baseUrl, fetch: mock.fetch },
    { webhooks },
  );
  return compareProfile(findings, createMock({ profile }).sandbox.profile.get()).differences.length;
};
export const statusOf = ({ status }: Payment): string => status;
export const wait = async (id: string): Promise<string> => (await client.payments.waitFor(id)).status;
