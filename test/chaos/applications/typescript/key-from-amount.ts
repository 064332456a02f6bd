// Mistake: derives the idempotency key from the amount, so that equal invoices have one key.
import { correct, create, start } from './application.ts';

start({ ...correct, pay: (order) => create(order, `payout-${order.amount}`) });
