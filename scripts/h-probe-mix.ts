import { createRandomProfile } from '../test/support/random-profile.ts';
import { compareRuns, share } from '../test/support/judge/compare.ts';
import { callMock } from '../test/support/judge/judge.ts';
import { probeProfile } from './h-probe-rt.ts';
const accounts = { failing: 'SIM-FAIL', returning: 'SIM-RETURN' };
const [from, to] = [Number(process.argv[2]), Number(process.argv[3])];
let sum = 0;
for (let seed = from; seed < to; seed += 1) {
  const profile = createRandomProfile(seed, { hasReadLag: true });
  try {
    const { findings, profile: found } = await probeProfile(profile);
    const compared = compareRuns(await callMock({ profile, accounts, seed: 1 }), await callMock({ profile: found, accounts, seed: 2 }), { rateTolerance: Number(profile.rates?.moves?.by ?? 0) * 2 });
    sum += share(compared);
    const diff = compared.filter(({ differences }) => differences.length > 0);
    console.log('seed', seed, share(compared).toFixed(0), 'not found:', findings.filter((f) => f.state !== 'found').map((f) => f.setting).join(','));
    for (const d of diff.slice(0, 12)) console.log('   ', d.name, '|', d.differences.slice(0, 2).join(' ; ').slice(0, 220));
  } catch (error) { console.log('ERROR', seed, String((error as Error).stack).slice(0, 600)); }
}
console.log('average', sum / (to - from));
