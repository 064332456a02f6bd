// Mistake: after an unknown outcome, pays again if the first page of transactions does not show the payment.
import { existsSync, rmSync } from 'node:fs';
import { call, correct, create, createOnce, place, start } from './application.ts';

start({
  ...correct,
  claim: (reference) => correct.claim(reference) || existsSync(place('unknown', reference)),
  isOpenAfter: (outcome) => outcome === 'rejected',
  async pay(order) {
    const { reference } = order;
    if (existsSync(place('unknown', reference))) {
      const { status, text } = await call('/transactions?per_page=20');
      if (status !== 200) return 'unknown';
      rmSync(place('unknown', reference));
      if (text.includes(reference)) return 'paid';
    }
    const outcome = await create(order, reference);
    if (outcome === 'unknown') createOnce('unknown', reference);
    return outcome;
  },
});
