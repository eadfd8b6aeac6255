import { KethubError } from '@kethub/client';
import { isStale } from './conflict.tsx';
import { Problem } from '../shell/problem.tsx';

/** Complaint of the platform about one member of a request, by JSON Pointer, for the `error` of its input. */
export function complaintAt(error: unknown, pointer: string): string | undefined {
  return error instanceof KethubError ? error.errors.find((one) => one.pointer === pointer)?.detail : undefined;
}

/** The problem of a request whose form shows the complaints about `fields` at their inputs. */
export function FormProblem({ error, fields }: { readonly error: unknown; readonly fields: readonly string[] }) {
  // A form that sends an entity tag shows both versions by `Conflict`.
  if (error === null || error === undefined || isStale(error)) return null;
  const isAtFields =
    error instanceof KethubError &&
    error.errors.length > 0 &&
    error.errors.every(({ pointer }) => fields.includes(pointer));
  return isAtFields ? null : <Problem error={error} />;
}
