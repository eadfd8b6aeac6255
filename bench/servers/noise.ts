import { atRate, type OpenLoad } from '../lib/open-load.ts';
import { untilInputEnds } from './until-input-ends.ts';

export type Noise = Pick<OpenLoad, 'url' | 'bearer' | 'perSecond'> & { readonly owner: string };

/** Until the requests and their answers have found their pace. */
const WARM_UP_MS = 1_000;

// The callers of an owner who keeps the platform busy, in a process of their own: what they have to do with their answers
// does not delay whoever is measured beside them.
const { owner, ...load } = JSON.parse(process.argv[2] ?? '') as Noise;
const stopped = new AbortController();
const requests = atRate({ ...load, body: (sent) => JSON.stringify({ sent, who: owner }) }, stopped.signal);
setTimeout(() => process.stdout.write('{}\n'), WARM_UP_MS);
await Promise.race([untilInputEnds(), requests]);
stopped.abort();
await requests;
