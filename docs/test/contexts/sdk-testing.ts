// The surroundings of the code blocks on tests, whose first block creates the mock and the client of the others.
import { createMock } from '@service/mock';
import { createClient } from '@service/sdk';

export * from './common.ts';

export const mock = createMock({ clock: 'manual' });
const { account, baseUrl, fetch } = mock;
export const client = createClient({ apiKey: account.testKey, baseUrl, fetch });
