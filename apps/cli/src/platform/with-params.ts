import type { ServiceVersion } from '@kethub/contract';
import type { InputOptions } from '../input.ts';
import { membersOf, objectOf, type JsonText } from '../json.ts';
import type { Session } from './session.ts';

interface ChosenVersion {
  readonly serviceId: string;
  readonly version: string;
}

/**
 * The input with an empty `params`, where the caller has given --data alone and the service needs a parameter of that name:
 * code that takes all of its params from defaults is called without naming any.
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

/** A version of a service of one's own, or of one that is shared; of any other the caller sees no parameters. */
async function describe(
  { platform }: Session,
  { serviceId, version }: ChosenVersion,
): Promise<Pick<ServiceVersion, 'parameters'> | undefined> {
  const isIt = ({ id }: { id: string }): boolean => id === serviceId;
  // The list of services is without parameters.
  if ((await platform.listServices()).some(isIt)) return platform.getServiceVersion({ serviceId, version });
  return (await platform.listSharedServices()).find(isIt)?.versions.find((one) => one.version === version);
}
