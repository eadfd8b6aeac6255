import { useRef, useState } from 'react';
import type { Checker } from '../check/checker.ts';
import type { Happening, InstanceRecord, Recorded, Rehearsed } from '../check/protocol.ts';
import { happeningOf, recordedFor } from './answers.ts';

/** Steps that are taken by themselves; a workflow that goes round for ever stops there. */
const MOST_STEPS = 500;

/** A rehearsal in the worker: its state, and the steps that the author takes. */
export function useRehearsal(checker: Checker, xml: string) {
  const [state, setState] = useState<Rehearsed | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  // Each start ends the steps that another one takes by itself.
  const run = useRef(0);

  /** Returns the state after an event; null if it could not happen. */
  const happen = async (happening: Happening): Promise<Rehearsed | null> => {
    try {
      const next = await checker.rehearse(happening);
      setState(next);
      setFailure(null);
      return next;
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
      return null;
    }
  };

  const start = async (input: string): Promise<void> => {
    run.current++;
    try {
      const complaints = await checker.judge(xml, input);
      if (complaints.length === 0) return void (await happen({ type: 'start', xml, input }));
      setFailure(`The platform would refuse this input:\n${complaints.join('\n')}`);
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
    }
  };

  /** Answers everything that a record has an answer for, until there is nothing more. */
  const goOn = async (from: Rehearsed, record: InstanceRecord | null): Promise<void> => {
    const mine = ++run.current;
    let now: Rehearsed | null = from;
    const used = new Set<Recorded>();
    for (let step = 0; now !== null && step < MOST_STEPS && run.current === mine; step++) {
      const next = nextOf(now, record, used);
      if (next === null) return;
      now = await happen(next);
    }
  };
  return { state, failure, start, happen, goOn };
}

function nextOf({ waiting }: Rehearsed, record: InstanceRecord | null, used: Set<Recorded>): Happening | null {
  // Timers are due last: a real answer mostly came before the timer around it.
  const inOrder = [
    ...waiting.filter(({ kind }) => kind !== 'timer'),
    ...waiting.filter(({ kind }) => kind === 'timer'),
  ];
  for (const one of inOrder) {
    const known = recordedFor(record, one, used);
    const happening = known && happeningOf(one, known.kind, known.text);
    if (!known || !happening) continue;
    used.add(known);
    return happening;
  }
  return null;
}
