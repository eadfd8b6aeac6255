import { measurements } from '../measurements/index.ts';

// One measurement in a process of its own. `npm run bench` starts it and takes its messages.
const name = process.argv[2] ?? '';
const measure = measurements[name];
if (!measure) throw new Error(`No measurement is called ${name}`);
const measured = await measure();
process.send?.(measured, () => process.exit());
