import { etag, type Answer } from '../http/index.ts';
import type { Context, Platform } from '../platform.ts';
import { requireService } from '../services/index.ts';
import { requireShare } from './change-share.ts';
import { presentShare } from './present.ts';
import { sharesOf } from './queries.ts';

export async function readShares({ database, now }: Platform, context: Context, serviceId: string): Promise<Answer> {
  await requireService(database.read, context, serviceId);
  const rows = await sharesOf(database.read, serviceId);
  return { status: 200, body: rows.map((row) => presentShare(row, now())) };
}

export async function readShare(
  { database, now }: Platform,
  context: Context,
  serviceId: string,
  id: string,
): Promise<Answer> {
  const row = await requireShare(database.read, context, serviceId, id);
  return { status: 200, body: presentShare(row, now()), headers: { etag: etag(row.revision) } };
}
