import { KEPT_FILES } from './forget-files.ts';

/** A workflow file with changes that the platform does not have yet. */
export interface KeptFile {
  readonly xml: string;
  readonly version: string;
  readonly etag: string | null;
  /** Time of the last change in milliseconds since 1970. */
  readonly at: number;
}

interface Row extends KeptFile {
  readonly key: string;
  /** Person and workflow that the file belongs to. */
  readonly draftId: string;
  readonly tab: string;
}

const STORE = 'files';
/** Milliseconds after which a file that nobody has come back to is removed. */
const LONGEST_MS = 30 * 24 * 3_600_000;
/** This tab, for as long as its page is open. */
const TAB = crypto.randomUUID();
const lockOf = (tab: string): string => `kethub-files ${tab}`;
let isAlive = false;

/**
 * Keeps a changed file in this browser, so that it survives a crash of the tab. Returns whether it could: a browser may
 * have no database, or no room in it.
 */
export async function keepFile(draftId: string, file: KeptFile): Promise<boolean> {
  showLife();
  const row = { ...file, key: `${draftId} ${TAB}`, draftId, tab: TAB } satisfies Row;
  return (await run('readwrite', (files) => files.put(row))) !== undefined;
}

/** Forgets what this tab has kept of a workflow, because the platform has it now. */
export async function forgetFile(draftId: string): Promise<void> {
  await run('readwrite', (files) => files.delete(`${draftId} ${TAB}`));
}

/** The newest file of a workflow that this tab, or one that is gone, has left; it becomes that of this tab. */
export async function takeKeptFile(draftId: string): Promise<KeptFile | null> {
  const rows = await run<readonly Row[]>('readonly', (files) => files.getAll());
  const open = await openTabs();
  let newest: Row | null = null;
  for (const row of rows ?? []) {
    const isOver = row.at < Date.now() - LONGEST_MS;
    const isLeft = row.draftId === draftId && (row.tab === TAB || !open.has(lockOf(row.tab)));
    if (isLeft && !isOver && (newest === null || row.at > newest.at)) newest = row;
    if (isLeft || isOver) await run('readwrite', (files) => files.delete(row.key));
  }
  if (newest === null) return null;
  const { xml, version, etag, at } = newest;
  await keepFile(draftId, { xml, version, etag, at });
  return { xml, version, etag, at };
}

/** Other tabs see by a lock that this one is open. Browsers offer locks to secure origins only. */
function showLife(): void {
  if (isAlive || !('locks' in navigator)) return;
  isAlive = true;
  void navigator.locks.request(lockOf(TAB), () => new Promise(() => undefined));
}

async function openTabs(): Promise<ReadonlySet<string>> {
  if (!('locks' in navigator)) return new Set();
  const { held = [] } = await navigator.locks.query();
  return new Set(held.flatMap(({ name }) => (name === undefined ? [] : [name])));
}

/** The answer to one request; undefined where the browser has no database or refuses it. */
async function run<T>(mode: IDBTransactionMode, ask: (files: IDBObjectStore) => IDBRequest): Promise<T | undefined> {
  try {
    const database = await open();
    try {
      const transaction = database.transaction(STORE, mode);
      // A disk that is full aborts the transaction after its requests have succeeded.
      const [answer] = await Promise.all([done(ask(transaction.objectStore(STORE))), ended(transaction)]);
      return answer as T;
    } finally {
      database.close();
    }
  } catch {
    return undefined;
  }
}

function ended(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.addEventListener('complete', () => resolve());
    transaction.addEventListener('abort', () => reject(transaction.error ?? new Error('The browser kept nothing')));
  });
}

function open(): Promise<IDBDatabase> {
  const asked = indexedDB.open(KEPT_FILES, 1);
  asked.addEventListener('upgradeneeded', () => asked.result.createObjectStore(STORE, { keyPath: 'key' }));
  return done(asked);
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('The database of the browser failed')));
  });
}
