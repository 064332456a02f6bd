import { describe, expect, it } from 'vitest';
import type { MockOptions } from '@service/mock';
import { createStillMock } from './support.ts';

type Cors = NonNullable<MockOptions['cors']>;

// The headers of CORS are in test/scenarios. Here: which origins the option allows.

const page = 'https://app.example';

describe('the cors option', () => {
  it('allows the listed and the loopback origins, and no similar ones', async () => {
    const rows: [cors: Cors, origin: string | undefined, isAllowed: boolean][] = [
      [[page], page, true],
      ['loopback', 'http://localhost:5173', true],
      ['loopback', 'https://127.0.0.1', true],
      ['loopback', 'http://[::1]:3000', true],
      [[page], 'https://other.example', false],
      [[page], `${page}.evil.example`, false],
      [[page], undefined, false],
      ['loopback', page, false],
      ['loopback', 'http://localhost.evil.example', false],
      ['loopback', 'http://127.0.0.1.evil.example', false],
      ['loopback', 'null', false],
      [[], page, false],
    ];
    for (const [cors, origin, isAllowed] of rows) {
      const { send } = createStillMock({ cors });
      const { headers } = await send('GET', '/balance', { headers: origin === undefined ? {} : { origin } });
      const allowed = headers.get('access-control-allow-origin');
      expect([cors, origin, allowed, headers.get('vary')]).toEqual([
        cors,
        origin,
        isAllowed ? origin : null,
        'Origin',
      ]);
    }
  });
});
