import type { StorageUsage } from '@kethub/contract';
import type { Answer } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { readRules } from './rules.ts';
import { readStorage, type StorageOwner } from './storage-use.ts';

/** `GET /storage`: answers with the storage use, quota and retention of an owner. */
export async function showStorage(platform: Platform, owner: StorageOwner): Promise<Answer> {
  const { read } = platform.database;
  const { use, used, quota } = await readStorage(platform, read, owner);
  const body: StorageUsage = {
    usedBytes: used,
    quotaBytes: quota,
    inputBytes: use.inputs,
    resultBytes: use.results,
    fileBytes: use.files,
    logBytes: use.logs,
    dataPoolBytes: use.data_pools,
    serviceBytes: use.services,
    keepDays: platform.configuration.resultKeepDays,
    retention: await readRules(read, owner),
  };
  return { status: 200, body };
}
