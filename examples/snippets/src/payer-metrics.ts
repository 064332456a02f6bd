import { metrics } from '@opentelemetry/api';
import type { IntentStore } from '@service/sdk/payer';

/** Reports the number of intents with a conflict, and the age of the oldest one without a result. */
export function reportIntents(store: IntentStore): void {
  const meter = metrics.getMeter('payments');
  const conflicts = meter.createObservableGauge('payments.intents.conflicts');
  const age = meter.createObservableGauge('payments.intents.unresolved.age', { unit: 's' });
  meter.addBatchObservableCallback(
    async (result) => {
      result.observe(conflicts, (await store.list({ hasConflicts: true })).length);
      let oldest = Date.now();
      for (const { sends } of await store.list({ states: ['sending', 'unknown'] }))
        oldest = Math.min(oldest, ...sends.map(Date.parse));
      result.observe(age, (Date.now() - oldest) / 1_000);
    },
    [conflicts, age],
  );
}
