import { defineConfig } from 'vitest/config';

// Another ending than that of the tests of this repository, which would fail with it.
export default defineConfig({ test: { include: ['*.failing.ts'] } });
