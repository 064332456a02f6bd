import { writeReport } from '@service/mock/report';
import { createFixtures } from '@service/mock/vitest';
import { test as base } from 'vitest';

/** A test that leaves a report of the sandbox if it fails. */
export const test = base.extend(createFixtures({ clock: 'manual' })).extend<{ report: void }>({
  report: [
    async ({ mock, account, task }, use) => {
      await use();
      if (task.result?.state !== 'fail') return;
      const error = task.result.errors?.[0]?.message;
      await writeReport(mock, { file: `test-results/${task.id}.html`, title: task.name, error, account });
    },
    { auto: true },
  ],
});
