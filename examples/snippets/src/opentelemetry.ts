import { context, metrics, propagation } from '@opentelemetry/api';
import { createClient } from '@service/sdk';

const durations = metrics.getMeter('payments').createHistogram('payments.duration', { unit: 'ms' });

export const service = createClient({
  // Each request, a repeated one too, names the span that is active where the call was made.
  onRequest: ({ headers }) =>
    propagation.inject(context.active(), headers, { set: (to, name, value) => to.set(name, value) }),
  onResponse: ({ operation, status, duration }) => durations.record(duration, { operation, status }),
});
