import {
  createStatusReader,
  finishExecution,
  pageOfExecutions,
  pageOfService,
  type ExecutionFilter,
  type ExecutionScope,
} from '@kethub/server/running/executions';
import { Claims } from '@kethub/server/running/executions/schedule';
import { insertMany, openDatabase, type ExecutionRow } from '@kethub/server/foundation/storage';
import { addBareVersion, pendingExecution } from '@kethub/server/testing/bare-executions';
import { createTestPlatform, type TestPlatform } from '@kethub/server/testing/platform';
import {
  cursorAt,
  executionsOfOwner,
  FIRST_STATUS,
  ownerId,
  rare,
  serviceId,
  SPREAD_MS,
} from '../lib/many-executions.ts';
import { endOf, SimulatedRuntime } from '../lib/simulated-runtime.ts';

export interface ManyQuestion {
  /** Two filled databases: one with few executions, one with many. */
  readonly few: string;
  readonly many: string;
  readonly rounds: number;
}

/** Milliseconds of each call, by the name of the operation. */
export type ManyAnswer = Readonly<
  Record<string, { readonly few: readonly number[]; readonly many: readonly number[] }>
>;

const WAITING = 1_000;
const RUNNING = 8;
const PAGE = 20;
const WARM_UP = 10;
/** Milliseconds after which an operation that takes long is measured no further, unless it had fewer rounds than these. */
const LONGEST_MS = 20_000;
const FEWEST = 5;
/** Owners of the executions that wait, as in the measurement `queue`. */
const WAITING_OWNERS = 50;

// Calls what the interfaces call, in turns on both databases, and reports how long each call took. HTTP would add the
// same to both, and hide differences.
const { few, many, rounds } = JSON.parse(process.argv[2] ?? '') as ManyQuestion;
const both = { few: await open(few), many: await open(many) };
const answer: Record<string, { few: number[]; many: number[] }> = {};
for (const name of Object.keys(both.few.operations)) {
  const took = { few: [] as number[], many: [] as number[] };
  const end = performance.now() + LONGEST_MS;
  for (let round = -WARM_UP; round < rounds && (round < FEWEST || performance.now() < end); round += 1)
    for (const which of ['few', 'many'] as const) {
      const { before, call } = both[which].operations[name] ?? {};
      await before?.();
      const began = performance.now();
      await call?.();
      if (round >= 0) took[which].push(performance.now() - began);
    }
  answer[name] = took;
}
process.stdout.write(`${JSON.stringify(answer satisfies ManyAnswer)}\n`);
for (const { platform } of Object.values(both)) await platform.close();

interface Operation {
  readonly before?: () => Promise<unknown>;
  readonly call: () => Promise<unknown>;
}

async function open(databaseUrl: string) {
  const database = await openDatabase({ databaseUrl, sqliteFile: '' });
  const address = { databaseUrl, sqliteFile: '' };
  const again = () => openDatabase(address);
  const test = { database, address, again, close: () => database.close() };
  const settings = { KETHUB_WORKER_CPUS: '64', KETHUB_WORKER_MEMORY_MB: '262144' };
  const platform = await createTestPlatform(() => Promise.resolve(test), { settings });
  const version = `version ${platform.newId()}`;
  await addBareVersion(platform, version);
  return { platform, operations: { ...(await reads(platform)), ...(await moves(platform, version)) } };
}

async function reads(platform: TestPlatform): Promise<Record<string, Operation>> {
  const { database } = platform;
  const statuses = createStatusReader(platform);
  const scope = scopeOf(0);
  const ofService = serviceId(0);
  const deep = cursorAt(Date.now() - SPREAD_MS / 2);
  const [newest, all] = [await executionsOfOwner(database, 0, 'newest'), await executionsOfOwner(database, 0, 'any')];
  // Rows that were written last are in memory.
  for (const id of newest) await statuses.read(scope, id);
  const status = (ids: readonly string[]): Operation => {
    let turn = 0;
    return { call: () => statuses.read(scope, ids[(turn += 7) % ids.length] ?? '') };
  };
  const operations: Record<string, Operation> = {
    'Status of one of the 1,000 newest': status(newest),
    [FIRST_STATUS]: status(all),
    // The same ids in the same order.
    'Status of an execution of any age, read before': status(all),
  };
  const lists: Record<string, ExecutionFilter> = {
    all: {},
    'of a service': { serviceId: ofService },
    FAILED: { statuses: ['FAILED'] },
    'PENDING or RUNNING': { statuses: ['PENDING', 'RUNNING'] },
    'UNKNOWN, of which there are ten': { statuses: ['UNKNOWN'] },
    'FAILED or UNKNOWN of a service': { serviceId: ofService, statuses: ['FAILED', 'UNKNOWN'] },
    'of an application': { applicationId: `0c000000-0000-7000-8000-${'1'.padStart(12, '0')}` },
    'of an application with ten': { applicationId: rare.application },
    'of a person with ten': { personId: rare.person },
    'with a tag': { tag: 'tag 3' },
    'with a tag that ten have': { tag: rare.tag },
    'of a version': { serviceId: ofService, version: '1.0.0' },
    'of a version with ten': { serviceId: ofService, version: rare.version },
    'without tasks of workflows': { withoutTasks: true },
    'of one day': { from: Date.now() - 60 * 86_400_000, to: Date.now() - 59 * 86_400_000 },
  };
  operations['List of an owner with few executions, FAILED'] = {
    call: () => pageOfExecutions(database, scopeOf(998), { statuses: ['FAILED'] }, null, PAGE),
  };
  for (const [what, filter] of Object.entries(lists))
    for (const [page, cursor] of [['first page', null], ['page in the middle', deep]] as const)
      operations[`List of an owner, ${what}, ${page}`] = {
        call: () => pageOfExecutions(database, scope, filter, cursor === null || filter.to === undefined ? cursor : cursorAt(filter.to - 43_200_000), PAGE),
      }; // prettier-ignore
  for (const what of ['all', 'FAILED', 'UNKNOWN, of which there are ten', 'of one day', 'of a version', 'of a version with ten']) {
    const { serviceId: _service, ...filter } = lists[what] ?? {};
    operations[`List of a provider, ${what}, first page`] = {
      call: () => pageOfService(database, ofService, filter, null, PAGE),
    };
  } // prettier-ignore
  return operations;
}

function scopeOf(owner: number): ExecutionScope {
  return { of: { by: 'OWNER', type: 'USER', id: ownerId(owner) }, address: '' };
}

/** Accepts, claims and finishes, while eight run and a thousand wait. */
async function moves(platform: TestPlatform, version: string): Promise<Record<string, Operation>> {
  let owner = 0;
  const add = async (count: number): Promise<void> => {
    const rows = Array.from({ length: count }, () =>
      pendingExecution(platform, ownerId(owner++ % WAITING_OWNERS), version),
    );
    const columns = Object.keys(rows[0] ?? {}) as (keyof ExecutionRow)[];
    await platform.database.write((transaction) => insertMany(transaction, 'executions', columns, rows));
  };
  const claims = new Claims(platform);
  const runtime = new SimulatedRuntime(0);
  const running: string[] = [];
  const take = async (slots: number): Promise<void> => {
    const capacity = { cpus: 64, memoryBytes: 256 * 2 ** 30, gpus: {} };
    const workerId = `worker of ${version}`;
    const offer = { workerId, capacity, containers: true, promised: new Map(), slots: running.length + slots };
    running.push(...(await claims.claim(offer)).map(({ id }) => id));
  };
  const finish = (): Promise<void> => finishExecution(platform, runtime, endOf(running.shift() ?? '', Date.now()));
  await add(WAITING + RUNNING);
  while (running.length < RUNNING) await take(RUNNING - running.length);
  return {
    'Accept': { call: () => add(1) },
    'Claim': { before: finish, call: () => take(1) },
    'Finish': { before: () => take(1), call: finish },
  }; // prettier-ignore
}
