import type { ControlOperation } from './operation.ts';
import { accountOperations } from './operations/accounts.ts';
import { faultOperations } from './operations/faults.ts';
import { requestOperations } from './operations/requests.ts';
import { paymentOperations } from './operations/payments.ts';
import { stateOperations } from './operations/state.ts';
import { webhookOperations } from './operations/webhooks.ts';

/** The base path of the control API. */
export const CONTROL_PATH = '/_sandbox';

/** All operations of the control API. Routing, validation and the OpenAPI document use this table. */
export const controlOperations: readonly ControlOperation[] = [
  ...stateOperations,
  ...accountOperations,
  ...paymentOperations,
  ...webhookOperations,
  ...faultOperations,
  ...requestOperations,
];
