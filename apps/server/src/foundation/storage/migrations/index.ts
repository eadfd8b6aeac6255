import type { Migration, MigrationProvider } from 'kysely/migration';
import * as mainPath from './0001-main-path.ts';
import * as profiles from './0002-profiles.ts';
import * as registration from './0003-registration.ts';
import * as signInLinks from './0004-sign-in-links.ts';
import * as accountDeletions from './0005-account-deletions.ts';
import * as userSearch from './0006-user-search.ts';
import * as registrations from './0007-registrations.ts';
import * as organizations from './0008-organizations.ts';
import * as signInAttempts from './0009-sign-in-attempts.ts';
import * as sharing from './0010-sharing.ts';
import * as onPremise from './0011-on-premise.ts';
import * as marketplace from './0012-marketplace.ts';
import * as dataPools from './0013-data-pools.ts';
import * as apiSpecifications from './0014-api-specifications.ts';
import * as providerTokens from './0015-provider-tokens.ts';
import * as sealedAnswers from './0016-sealed-answers.ts';
import * as accessChanges from './0017-access-changes.ts';
import * as gatewayQuality from './0018-gateway-quality.ts';
import * as processes from './0021-processes.ts';
import * as containers from './0023-containers.ts';
import * as shutOut from './0024-shut-out.ts';
import * as usageSums from './0025-usage-sums.ts';
import * as listingGrams from './0026-listing-grams.ts';
import * as scheduling from './0028-scheduling.ts';
import * as executionRecords from './0029-execution-records.ts';
import * as workflows from './0030-workflows.ts';
import * as workflowJobsElsewhere from './0031-workflow-jobs-elsewhere.ts';
import * as oneMachine from './0032-one-machine.ts';
import * as workflowOwners from './0033-workflow-owners.ts';
import * as workflowMessagesOfApplications from './0035-workflow-messages-of-applications.ts';
import * as workflowSpeed from './0036-workflow-speed.ts';
import * as buildQueue from './0042-build-queue.ts';
import * as layers from './0043-layers.ts';
import * as signInRecords from './0045-sign-in-records.ts';
import * as storageUse from './0046-storage-use.ts';
import * as longRuns from './0047-long-runs.ts';
import * as workflowLeases from './0048-workflow-leases.ts';
import * as workflowStateParts from './0049-workflow-state-parts.ts';
import * as workflowMessages from './0050-workflow-messages.ts';
import * as mailsOfDeletedPeople from './0055-mails-of-deleted-people.ts';
import * as peopleKnown from './0056-people-known.ts';
import * as dataPoolLabels from './0063-data-pool-labels.ts';
import * as workflowRetries from './0067-workflow-retries.ts';
import * as executionTags from './0069-execution-tags.ts';
import * as thrownMessages from './0071-thrown-messages.ts';

/** All migrations in order. A migration that has been released is never changed. */
const migrations: Record<string, Migration> = {
  '0001-main-path': mainPath,
  '0002-profiles': profiles,
  '0003-registration': registration,
  '0004-sign-in-links': signInLinks,
  '0005-account-deletions': accountDeletions,
  '0006-user-search': userSearch,
  '0007-registrations': registrations,
  '0008-organizations': organizations,
  '0009-sign-in-attempts': signInAttempts,
  '0010-sharing': sharing,
  '0011-on-premise': onPremise,
  '0012-marketplace': marketplace,
  '0013-data-pools': dataPools,
  '0014-api-specifications': apiSpecifications,
  '0015-provider-tokens': providerTokens,
  '0016-sealed-answers': sealedAnswers,
  '0017-access-changes': accessChanges,
  '0018-gateway-quality': gatewayQuality,
  '0021-processes': processes,
  '0023-containers': containers,
  '0024-shut-out': shutOut,
  '0025-usage-sums': usageSums,
  '0026-listing-grams': listingGrams,
  '0028-scheduling': scheduling,
  '0029-execution-records': executionRecords,
  '0030-workflows': workflows,
  '0031-workflow-jobs-elsewhere': workflowJobsElsewhere,
  '0032-one-machine': oneMachine,
  '0033-workflow-owners': workflowOwners,
  '0035-workflow-messages-of-applications': workflowMessagesOfApplications,
  '0036-workflow-speed': workflowSpeed,
  '0042-build-queue': buildQueue,
  '0043-layers': layers,
  '0045-sign-in-records': signInRecords,
  '0046-storage-use': storageUse,
  '0047-long-runs': longRuns,
  '0048-workflow-leases': workflowLeases,
  '0049-workflow-state-parts': workflowStateParts,
  '0050-workflow-messages': workflowMessages,
  '0055-mails-of-deleted-people': mailsOfDeletedPeople,
  '0056-people-known': peopleKnown,
  '0063-data-pool-labels': dataPoolLabels,
  '0067-workflow-retries': workflowRetries,
  '0069-execution-tags': executionTags,
  '0071-thrown-messages': thrownMessages,
};

export const migrationProvider: MigrationProvider = { getMigrations: () => Promise.resolve(migrations) };
