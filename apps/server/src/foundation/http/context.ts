import type { Caller, Context, Person } from '../platform.ts';

/** The person behind an endpoint whose access is not ANYONE. */
export function personOf(caller: Caller): Person {
  if (!caller.person) throw new Error('An endpoint that anyone may call asked for the person');
  return caller.person;
}

/** The owner of the resources that the request is about, and the role of the caller there. */
export function contextOf(caller: Caller): Context {
  if (!caller.context) throw new Error('An endpoint that anyone may call asked for the context');
  return caller.context;
}
