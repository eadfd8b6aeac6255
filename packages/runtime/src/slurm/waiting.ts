import { waitingNotice } from '../runner/waiting-notice.ts';
import { StartRefused, type Cause } from '../types.ts';

/** Reasons that concern one job alone: no other job that ends, and no time that passes, changes them. */
const NEVER = /^((QOS|Assoc)(Max\w*PerJob|Min)|Partition(Time|Node)Limit$)/;

/** Words for the reasons by which Slurm says why it does not start a job. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^Licenses$/, 'A licence that it asks for is in use.'],
  [/^(Resources|Priority)$/, 'Other jobs of the cluster come first, or use what it asks for.'],
  [/^QOS/, 'Its QOS has reached a limit of the cluster.'],
  [/^Assoc/, 'Its account has reached a limit of the cluster.'],
  [/^Invalid(Account|QOS)$/, 'The cluster does not know its account or its QOS any more: ask the operator.'],
  [/^(JobHeld|AdminHold)/, 'Somebody holds it in the queue of the cluster: ask the operator.'],
  [/^(Partition|ReqNodeNotAvail|Node|BadConstraints)/, 'No node of its partition can take it: ask the operator.'],
];

/** The sentence for the log of an execution whose job waits. */
export function waitingFor(reason: string): string {
  const words = WORDS.find(([pattern]) => pattern.test(reason))?.[1] ?? 'The job waits in the queue of the cluster.';
  return waitingNotice(`${words} Slurm says: ${reason}`);
}

/** The cause of the end of a job that would wait for ever; null when it may start one day. */
export function neverStarts(reason: string): Cause | null {
  if (!NEVER.test(reason)) return null;
  return {
    type: 'BeyondClusterLimit',
    title: 'Beyond a limit of the cluster',
    detail:
      `The cluster does not start a job of this size: ${reason}. Lower the run time limit, the memory or the processors ` +
      'of the version, or ask the operator for another account or QOS.',
  };
}

/** The refusal of a job that Slurm does not take, such as one of an unknown account. */
export function notTaken(reason: string): StartRefused {
  const words = `The cluster does not take the job: ${reason.replace(/^\w+: error: /, '')}. Ask the operator.`;
  return new StartRefused(`Slurm does not take the job: ${reason}`, words);
}

/** The limit on jobs in the queue by which Slurm takes no more for now; null for any other refusal. */
export function queueLimitOf(error: unknown): string | null {
  if (!(error instanceof StartRefused)) return null;
  return /\b(?:QOS|Assoc)\w*Submit\w*Limit\b/.exec(error.message)?.[0] ?? null;
}
