// Serves a mock in the folder in which the API reference is installed, and prints its addresses and its key.
import { createMock } from '@service/mock';
import { listen } from '@service/mock/node';

const token = process.argv[2];
const mock = createMock({ clock: 'manual', seed: 'reference' });
const { url } = await listen(mock, { port: 0, ...(token !== undefined && { control: { token } }) });
console.log(JSON.stringify({ url, key: mock.account.testKey }));
