const { createReceiver, isStale } = require('@service/webhooks');

/** Creates a receiver that records the latest status of each payment in a map. */
function createWebhooks({ secret, mode, statuses }) {
  const record = ({ data }) => {
    // Events can arrive late or out of order.
    if (!isStale(statuses.get(data.id), data.status)) statuses.set(data.id, data.status);
  };
  return createReceiver({
    secrets: secret,
    mode,
    on: { 'payment.completed': record, 'payment.failed': record },
  });
}

module.exports = { createWebhooks };
