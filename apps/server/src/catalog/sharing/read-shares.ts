import type { Share } from '@kethub/contract';
import { etag, type Tagged } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { requireService } from '../services/index.ts';
import { requireShare } from './change-share.ts';
import { openedByService } from './opened.ts';
import { presentShare } from './present.ts';
import { sharesOf } from './queries.ts';

export async function readShares({ database, now }: Platform, context: Context, serviceId: string): Promise<Share[]> {
  const service = await requireService(database.read, context, serviceId);
  const opens = await openedByService(database.read, service, now());
  const rows = await sharesOf(database.read, serviceId);
  return rows.map((row) => presentShare(row, opens, now()));
}

export async function readShare(
  { database, now }: Platform,
  context: Context,
  serviceId: string,
  id: string,
): Promise<Tagged<Share>> {
  const { service, row } = await requireShare(database.read, context, serviceId, id);
  const opens = await openedByService(database.read, service, now());
  return { body: presentShare(row, opens, now()), tag: etag(row.revision) };
}
