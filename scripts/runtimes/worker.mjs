// Runs the checks in workerd, which calls `test` with its bindings.
import { checkClient, checkWebhooks } from './checks.mjs';

export default {
  async test(_controller, { BASE_URL }) {
    await checkClient(BASE_URL);
    await checkWebhooks();
  },
};
