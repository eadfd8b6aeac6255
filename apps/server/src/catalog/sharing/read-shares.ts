import { etag, type Answer } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { requireService } from '../services/index.ts';
import { requireShare } from './change-share.ts';
import { openedByService } from './opened.ts';
import { presentShare } from './present.ts';
import { sharesOf } from './queries.ts';

export async function readShares({ database, now }: Platform, context: Context, serviceId: string): Promise<Answer> {
  const service = await requireService(database.read, context, serviceId);
  const opens = await openedByService(database.read, service, now());
  const rows = await sharesOf(database.read, serviceId);
  return { status: 200, body: rows.map((row) => presentShare(row, opens, now())) };
}

export async function readShare(
  { database, now }: Platform,
  context: Context,
  serviceId: string,
  id: string,
): Promise<Answer> {
  const { service, row } = await requireShare(database.read, context, serviceId, id);
  const opens = await openedByService(database.read, service, now());
  return { status: 200, body: presentShare(row, opens, now()), headers: { etag: etag(row.revision) } };
}
