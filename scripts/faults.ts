// Runs one of the fault experiments in scripts/faults: `npm run faults -- NAME`. They take longer than tests may.
const name = process.argv[2] ?? '';
if (!/^[a-z-]+$/.test(name)) throw new Error('Name an experiment of scripts/faults: npm run faults -- NAME');
await import(`./faults/${name}.ts`);
