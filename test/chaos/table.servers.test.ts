import { describe, expect, it } from 'vitest';
import { runTable } from './table.ts';

// Runs 23 applications, each of which is killed and started ten times.
describe('the table of chaos', { timeout: 3_600_000 }, () => {
  it('shows the mistake of each application, and none of a correct one', async () => {
    await expect(await runTable()).toMatchFileSnapshot('table.golden.txt');
  });
});
