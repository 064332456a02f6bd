import type { ControlOperation } from './operation.ts';
import { accountOperations } from './operations/accounts.ts';
import { faultOperations } from './operations/faults.ts';
import { requestOperations } from './operations/requests.ts';
import { paymentOperations } from './operations/payments.ts';
import { stateOperations } from './operations/state.ts';
import { webhookOperations } from './operations/webhooks.ts';

/** Is the path under which the control plane stands. */
export const CONTROL_PATH = '/_sandbox';

/** Lists every operation of the control plane: what is routed, checked and documented comes from here. */
export const controlOperations: readonly ControlOperation[] = [
  ...stateOperations,
  ...accountOperations,
  ...paymentOperations,
  ...webhookOperations,
  ...faultOperations,
  ...requestOperations,
];
