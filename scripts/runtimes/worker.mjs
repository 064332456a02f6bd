// Runs the checks in workerd, which calls `test` and tells it the address.
import { checkClient, checkWebhooks } from './checks.mjs';

export default {
  async test(_controller, { BASE_URL }) {
    await checkClient(BASE_URL);
    await checkWebhooks();
  },
};
