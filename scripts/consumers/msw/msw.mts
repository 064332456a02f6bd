// Uses the handlers of MSW. Compiled only with the versions of TypeScript that compile MSW.
import { createMock } from '@service/mock';
import { createHandlers } from '@service/mock/msw';
import { setupServer } from 'msw/node';

export const server = setupServer(...createHandlers(createMock()));
