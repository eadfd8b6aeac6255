import type { BatchUserRequest, BatchUserResponseDto } from '@kethub/contract';
import type { Answer } from '../../foundation/http/index.ts';
import type { AccountServices } from './services.ts';
import { requireApproved } from './approved-users.ts';
import { userOverview } from './present.ts';

export async function readUser({ identity }: AccountServices, id: string): Promise<Answer> {
  return { status: 200, body: userOverview(await requireApproved(identity, id)) };
}

/** Answers 204 if there is such an approved user. Throws not-found. */
export async function headUser({ identity }: AccountServices, id: string): Promise<Answer> {
  await requireApproved(identity, id);
  return { status: 204 };
}

/** Resolves ids. Unknown ids are listed in the answer, and do not fail the request. */
export async function readUsers({ identity }: AccountServices, { ids }: BatchUserRequest): Promise<Answer> {
  const asked = [...new Set(ids)];
  const found = await identity.findApproved(asked);
  const body: BatchUserResponseDto = {
    users: found.filter((user) => user !== null).map(userOverview),
    notFound: asked.filter((_id, index) => found[index] === null).join(','),
  };
  return { status: 200, body };
}
