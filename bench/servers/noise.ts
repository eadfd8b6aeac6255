import { atRate, type OpenLoad } from '../lib/open-load.ts';
import { untilInputEnds } from './until-input-ends.ts';

export type Noise = Pick<OpenLoad, 'url' | 'bearer' | 'perSecond'> & { readonly owner: string };

/** Milliseconds until the requests and their answers are at full rate. */
const WARM_UP_MS = 1_000;

// The callers of an owner who keeps the platform busy. They are a process of their own, so that handling their answers
// does not delay the measured owner.
const { owner, ...load } = JSON.parse(process.argv[2] ?? '') as Noise;
const stopped = new AbortController();
const requests = atRate({ ...load, body: (sent) => JSON.stringify({ sent, who: owner }) }, stopped.signal);
setTimeout(() => process.stdout.write('{}\n'), WARM_UP_MS);
await Promise.race([untilInputEnds(), requests]);
stopped.abort();
await requests;
