import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createMock, type ProfileChoice } from '@service/mock';
import { playProfile } from './earlier-profiles/play.ts';
import { earlierProfiles } from './earlier-profiles/profiles.ts';

// The golden file is from the version before the settings were joined. Three answers differ on purpose: the order of the
// statuses in the message about an unknown one with `unknownStatus`, the `mode` of an injected 401 with `modeOn401: 'null'`, and
// the status of an injected fault with `errorShape: { status }`. The valid paths in the error of an unknown one are left out: that version
// did not name them.
const VALID_PATHS = /(?<=There is no such path\.) Use one of: [^"<]*\./g;

describe('a profile in the names of an earlier version', () => {
  it('gives the same answers as before', async () => {
    const shown: string[] = [];
    for (const [index, profile] of earlierProfiles.entries()) {
      const played = await playProfile(createMock, profile);
      const lines = played.join('\n').replaceAll(VALID_PATHS, '');
      const hash = createHash('sha256').update(lines).digest('hex').slice(0, 16);
      shown.push(`${hash} ${JSON.stringify(profile)}`, ...(index === 0 ? [lines] : []));
    }
    await expect(`${shown.join('\n')}\n`).toMatchFileSnapshot('./earlier-profiles/golden.txt');
  });

  it.each<ProfileChoice>([
    { feeMode: 'ontop' },
    { foreignPayment: 'not-found' },
    { malformedBody: 404 },
    { modeOn401: null },
    { rateLimitHeaders: 'constructor' },
    { redelivery: 'same ' },
    { unknownStatus: true },
    { amountLimits: '1.00' },
    { deprecation: { deprecated: 'soon' } },
    { constructor: 1 } as object,
  ])('is rejected with the value %j, which no version had', (profile) => {
    const [name = ''] = Object.keys(profile);
    expect(() => createMock({ profile })).toThrow(`has no field "${name}"`);
  });
});
