import { PlatformStatus } from '@kethub/contract';
import { platformEndpoint as endpoint, type PlatformEndpoint } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { readPlatformStatus } from './read-status.ts';

/** The endpoint by which administrators see the state of the installation. */
export const platformStatusEndpoints = (platform: Platform): PlatformEndpoint[] => [
  endpoint({
    method: 'GET',
    path: '/platform-status',
    id: 'getPlatformStatus',
    tag: 'Platform',
    access: 'ADMINISTRATOR',
    summary: 'Read the state of the installation: queues, processes, workers, disks and versions',
    description:
      'Processes report themselves every 30 seconds, and are listed for two minutes after their last report.',
    answers: { 200: PlatformStatus },
    problems: [],
    run: () => readPlatformStatus(platform),
  }),
];
