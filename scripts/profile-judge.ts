// Probes reference services, plays their profiles with the mock, makes the same calls to both, and prints each different
// answer and the share of equal ones: `npm run profile-judge -- express-drf`.
// `--itself` compares each service with another process of it, which must give 100 %.
import { parseArgs } from 'node:util';
import { listWrong, referenceServices } from '../test/services/services.ts';
import { formatComparison, share } from '../test/support/judge/compare.ts';
import { compareServices, judgeService } from '../test/support/judge/judge.ts';

const SPEED = 4;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { itself: { type: 'boolean', default: false } },
});
const names = referenceServices.map(({ name }) => name);
const unknown = positionals.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`Unknown service ${unknown.join(', ')}. Choose from: ${names.join(', ')}.`);
  process.exit(2);
}
for (const service of referenceServices.filter(
  ({ name }) => positionals.length === 0 || positionals.includes(name),
)) {
  console.log(`\n── ${service.name}`);
  if (values.itself) {
    const compared = await compareServices(service, service, { speed: SPEED });
    console.log(formatComparison(service.name, compared));
    if (share(compared) < 100) process.exitCode = 1;
    continue;
  }
  const { compared, findings } = await judgeService(service, { speed: SPEED });
  for (const { setting, state, evidence } of findings)
    console.log(`${state.padEnd(8)} ${setting}: ${evidence}`);
  console.log(formatComparison(service.name, compared));
  const wrong = listWrong(service, findings);
  console.log(`${wrong.length} wrong findings`, ...wrong);
  if (share(compared) < service.minimum.full || wrong.length > 0) process.exitCode = 1;
}
