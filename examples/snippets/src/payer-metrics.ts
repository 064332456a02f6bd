import { metrics } from '@opentelemetry/api';
import type { Payer } from '@service/sdk/payer';

/** Reports the intents of a payer by state, their conflicts, and the age of the oldest one without a result. */
export function reportIntents(payer: Payer): void {
  const meter = metrics.getMeter('payments');
  const intents = meter.createObservableGauge('payments.intents');
  const conflicts = meter.createObservableGauge('payments.intents.conflicts');
  const age = meter.createObservableGauge('payments.intents.unresolved.age', { unit: 's' });
  meter.addBatchObservableCallback(
    async (result) => {
      const summary = await payer.summary();
      for (const [state, count] of Object.entries(summary.states)) result.observe(intents, count, { state });
      result.observe(conflicts, summary.conflicts);
      const since = Date.parse(summary.oldestUnresolved ?? '');
      result.observe(age, Number.isNaN(since) ? 0 : (Date.now() - since) / 1_000);
    },
    [intents, conflicts, age],
  );
}
