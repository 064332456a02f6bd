import * as z from 'zod/mini';
import { account, accountMode, fields, operation, text, time, waitTime, whole } from '../fields.ts';
import { requestView } from '../request-shapes.ts';
import { type ControlOperation, defineOperation, defineEmptyOperation } from '../operation.ts';
import { listOf } from '../shapes.ts';

const filter = {
  ...accountMode,
  operation: z.exactOptional(operation),
  status: z.exactOptional(whole('a whole number from 200 to 599')),
  method: z.exactOptional(text("a method such as 'POST'")),
  since: z.exactOptional(time),
};

const requests = z.object({ requests: listOf(requestView) });

/** Operations on the request log. */
export const requestOperations: readonly ControlOperation[] = [
  defineOperation({
    id: 'listRequests',
    method: 'GET',
    path: '/requests',
    summary: 'List the logged requests, oldest first, and the number of dropped ones',
    input: fields(filter),
    output: z.object({ ...requests.shape, dropped: z.int() }),
    run: ({ requests: requestLog }, input) => ({
      requests: requestLog.list(input),
      dropped: requestLog.dropped,
    }),
  }),
  defineOperation({
    id: 'waitForRequests',
    method: 'GET',
    path: '/requests/wait',
    summary: 'Wait until a number of matching requests have a response, and list them; 408 after the timeout',
    input: fields({
      ...filter,
      count: whole('a whole number from 1'),
      timeout: z.exactOptional(waitTime),
    }),
    output: requests,
    run: async ({ requests: requestLog }, { timeout, ...wanted }, { signal }) => ({
      requests: await requestLog.waitFor(wanted, { signal, ...(timeout !== undefined && { timeout }) }),
    }),
  }),
  defineEmptyOperation({
    id: 'clearRequests',
    method: 'DELETE',
    path: '/requests',
    summary: 'Remove the logged requests of an account, or all of them',
    input: fields({ account: z.exactOptional(account) }),
    run: ({ requests: requestLog }, { account: id }) => requestLog.clear(id),
  }),
];
