import { describe, expect, it } from 'vitest';
import { runTable } from './table.ts';

// Runs 13 applications, each of which is killed and started ten times.
describe('the table of chaos', { timeout: 900_000 }, () => {
  it('shows the mistake of each application, and none of a correct one', async () => {
    await expect(await runTable()).toMatchFileSnapshot('table.golden.txt');
  });
});
