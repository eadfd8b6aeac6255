import type { ServiceVersion } from '@kethub/contract';
import type { InputOptions } from '../input.ts';
import { membersOf, objectOf, type JsonText } from '../json.ts';
import type { Session } from './session.ts';

interface ChosenVersion {
  readonly serviceId: string;
  readonly version: string;
}

/**
 * Adds an empty `params` to the input when the caller has given --data alone and the service needs a parameter of that
 * name. Code whose params all have defaults can then be called without naming any.
 */
export async function withParams(
  session: Session,
  chosen: ChosenVersion,
  input: JsonText,
  { data, params }: InputOptions,
): Promise<JsonText> {
  if (data === undefined || params !== undefined) return input;
  const members = membersOf(input.text, 'The input');
  if (members.has('params') || !(await needsParams(session, chosen))) return input;
  return objectOf(members.set('params', '{}'));
}

async function needsParams(session: Session, chosen: ChosenVersion): Promise<boolean> {
  const version = await describe(session, chosen);
  const params = version?.parameters?.find(({ name }) => name === 'params');
  return params !== undefined && params.required && params.kind !== 'secret' && params.kind !== 'dataPool';
}

/** A version of an own or shared service. For any other service the caller sees no parameters. */
async function describe(
  { platform }: Session,
  { serviceId, version }: ChosenVersion,
): Promise<Pick<ServiceVersion, 'parameters'> | undefined> {
  const isIt = ({ id }: { id: string }): boolean => id === serviceId;
  // The list of services has no parameters.
  if ((await platform.listServices()).some(isIt)) return platform.getServiceVersion({ serviceId, version });
  return (await platform.listSharedServices()).find(isIt)?.versions.find((one) => one.version === version);
}
