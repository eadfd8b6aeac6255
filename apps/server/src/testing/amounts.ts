/**
 * Amounts of what tests repeat at random moments or with random requests, decided here for all of them. The first of two
 * is that of every run: together the two commands of tests have 40 minutes on two cores. `KETHUB_TEST_THOROUGH=1` takes
 * the second, after a change of what such a test is about. Two hundred kills of everything are `npm run faults`.
 */
export const thorough = process.env['KETHUB_TEST_THOROUGH'] === '1';

const either = (usual: number, many: number): number => (thorough ? many : usual);

export const amounts = {
  /** Kills of the platform in the middle of pushes, each at a later moment. */
  killsOfPushes: either(10, 50),
  /** Kills while a service is made of a repository, and as many while a push becomes a version. */
  killsOfServicesFromGit: either(3, 12),
  /** Kills and stand-stills of the platform on SQLite under load. */
  faultsOfPlatform: either(12, 50),
  /** Kills of everything on PostgreSQL under load. */
  faultsOfEverything: either(8, 24),
  /** Generated requests to each operation, for each caller. */
  requestsOfOperations: either(8, 16),
  /** Files of each other tool that the modeller opens. */
  foreignFiles: either(14, 40),
} as const;
