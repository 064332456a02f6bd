import { createMock, type Mock, type ProfileChoice } from '@service/mock';
import { keepSecret, type Ran, type RunOptions } from './support.ts';

interface Finding {
  setting: string;
  state: string;
  value?: unknown;
  evidence: string;
}
interface Report {
  base_url: string;
  profile: Record<string, unknown>;
  findings: Finding[];
  differences?: { setting: string; expected: unknown; found: unknown }[];
}

/** Creates a mock in this process. Its clock advances only when the probe waits. */
export function createManualMock(
  profile: ProfileChoice = {},
): RunOptions & { clock: NonNullable<RunOptions['clock']>; fetch: (request: Request) => Promise<Response> } {
  const mock = createMock({ clock: 'manual', seed: 42, profile });
  return {
    env: { SERVICE_API_KEY: keepSecret(mock.account.testKey), SERVICE_BASE_URL: mock.baseUrl },
    fetch: mock.fetch,
    clock: createClock(mock),
  };
}

/** Returns the clock of a mock, which advances only by waiting. */
export function createClock({ sandbox }: Mock): NonNullable<RunOptions['clock']> {
  return {
    now: () => sandbox.clock.now().getTime(),
    sleep: (milliseconds) => sandbox.clock.advance(`${Math.ceil(milliseconds)}ms`),
  };
}

export function readReport({ document }: Ran): Report {
  return document as unknown as Report;
}
