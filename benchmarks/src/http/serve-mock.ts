// Serves a mock in a child process of `startServer`.
import { listen } from '@service/mock/node';
import { createBenchmarkAccount } from '../account.ts';
import { reportTo } from './child.ts';

const { mock, headers } = createBenchmarkAccount();
const { port } = await listen(mock, { port: 0 });
reportTo({ port, headers });
