import { KethubError } from '@kethub/client';
import { Button } from '@mantine/core';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Problem } from '../shell/problem.tsx';

/** A text of both versions of a form: a label, the value in the form, and the value that somebody else has saved. */
export interface Difference {
  readonly label: string;
  readonly mine: string;
  readonly theirs: string;
}

/** Returns whether a change was refused because somebody else has changed the same thing. */
export function isStale(error: unknown): boolean {
  return error instanceof Overtaken || (error instanceof KethubError && error.status === 412);
}

/** A change that comes too late for another reason than its tag. The message says what somebody else has done. */
export class Overtaken extends Error {}

/**
 * Both versions of what two people have changed at the same time, and the choice between them. Nothing is lost before it
 * is made: `onMine` saves the form over the other change, `onTheirs` puts the other change into the form.
 */
export function Conflict<T extends object>({
  error,
  read,
  compare = () => [],
  children,
  onMine,
  onTheirs,
}: {
  readonly error: unknown;
  /** Reads what is saved now. */
  readonly read: () => Promise<T>;
  readonly compare?: (theirs: T) => readonly Difference[];
  /** Another way to show both versions. */
  readonly children?: (theirs: T) => ReactNode;
  readonly onMine: (theirs: T) => void;
  readonly onTheirs: (theirs: T) => void;
}) {
  const [theirs, setTheirs] = useState<T | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const ask = useRef(read);
  ask.current = read;
  useEffect(() => {
    setTheirs(null);
    setFailure(null);
    if (isStale(error)) ask.current().then(setTheirs, setFailure);
  }, [error]);
  if (!isStale(error)) return null;
  if (failure !== null) return <Problem error={failure} />;
  if (theirs === null) return <p className="quiet">Loading…</p>;
  const differences = compare(theirs).filter(({ mine, theirs }) => mine !== theirs);
  return (
    <section className="panel stack conflict" role="alert">
      <div>
        <strong>
          {error instanceof Overtaken ? error.message : 'Somebody else has changed this in the meantime.'}
        </strong>{' '}
        Nothing of yours is saved yet.
      </div>
      {differences.length > 0 && (
        <table className="list">
          <thead>
            <tr>
              <td />
              <th scope="col">Yours</th>
              <th scope="col">Saved now</th>
            </tr>
          </thead>
          <tbody>
            {differences.map(({ label, mine, theirs }) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                <td>
                  <span className="narrow-label">yours: </span>
                  <span className="kept">{mine === '' ? 'nothing' : mine}</span>
                </td>
                <td>
                  <span className="narrow-label">saved now: </span>
                  <span className="kept">{theirs === '' ? 'nothing' : theirs}</span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {children?.(theirs)}
      <div className="row">
        <Button size="xs" onClick={() => onMine(theirs)}>
          Save mine
        </Button>
        <Button size="xs" variant="default" onClick={() => onTheirs(theirs)}>
          Take what is saved
        </Button>
      </div>
    </section>
  );
}
