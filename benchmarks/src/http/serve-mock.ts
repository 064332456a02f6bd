// Serves a mock; a process of its own, started by `startServer`.
import { listen } from '@service/mock/node';
import { createBench } from '../account.ts';
import { reportTo } from './child.ts';

const { mock, headers } = createBench();
const { port } = await listen(mock, { port: 0 });
reportTo({ port, headers });
