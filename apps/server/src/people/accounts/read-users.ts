import type { BatchUserRequest, BatchUserResponseDto } from '@kethub/contract';
import type { Answer } from '../../foundation/http/index.ts';
import type { AccountServices } from './services.ts';
import { requireApproved } from './approved-users.ts';
import { userOverview } from './present.ts';

export async function readUser({ identity }: AccountServices, id: string): Promise<Answer> {
  return { status: 200, body: userOverview(await requireApproved(identity, id)) };
}

/** 204 when there is such a user. */
export async function headUser({ identity }: AccountServices, id: string): Promise<Answer> {
  await requireApproved(identity, id);
  return { status: 204 };
}

/** Resolves ids. Unknown ids are listed in the answer and fail nothing. */
export async function readUsers({ identity }: AccountServices, { ids }: BatchUserRequest): Promise<Answer> {
  const asked = [...new Set(ids)];
  const found = await identity.findApproved(asked);
  const body: BatchUserResponseDto = {
    users: found.filter((user) => user !== null).map(userOverview),
    notFound: asked.filter((_id, index) => found[index] === null).join(','),
  };
  return { status: 200, body };
}
