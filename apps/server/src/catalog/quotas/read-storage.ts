import type { StorageUsage } from '@kethub/contract';
import type { Platform } from '../../foundation/platform.ts';
import { readRules } from './rules.ts';
import { readStorage, type StorageOwner } from './storage-use.ts';

/** The storage use, quota and retention of an owner. */
export async function showStorage(platform: Platform, owner: StorageOwner): Promise<StorageUsage> {
  const { read } = platform.database;
  const { use, used, quota } = await readStorage(platform, read, owner);
  return {
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
}
