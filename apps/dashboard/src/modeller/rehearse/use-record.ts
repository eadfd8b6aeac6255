import { useMutation } from '@tanstack/react-query';
import type { ActingContext } from '../../data/context.tsx';
import type { Checker } from '../check/checker.ts';
import type { InstanceRecord } from '../check/protocol.ts';

/** Entries of one page of a journal, and pages that are read. */
const JOURNAL_PAGE = 200;
const MOST_PAGES = 20;
/** Called processes whose answers are read too. */
const MOST_CHILDREN = 20;

/** Reads what services and messages answered in a real instance and in the processes that it called. */
export function useRecord(acting: ActingContext, checker: Checker) {
  return useMutation({ mutationFn: (instanceId: string) => readRecord(acting, checker, instanceId) });
}

async function readRecord(acting: ActingContext, checker: Checker, instanceId: string): Promise<InstanceRecord> {
  const { platform } = acting;
  const { serviceId, version, children } = await platform.getWorkflowInstance({ instanceId });
  if (serviceId === undefined || version === undefined) throw new Error('The version of this instance is gone.');
  const source = await platform.downloadSource({ serviceId, version });
  const xml = await source.text();
  const own = await checker.recall(xml, await journalOf(acting, instanceId));
  const answers = [...own.answers];
  for (const { id } of children.slice(0, MOST_CHILDREN)) {
    const called = await checker.recall(xml, await journalOf(acting, id));
    answers.push(...called.answers);
  }
  return { input: own.input, answers };
}

/** The journal as one JSON list, with every digit. */
async function journalOf({ platform }: ActingContext, instanceId: string): Promise<string> {
  const pages: string[] = [];
  let after = 0;
  for (let page = 0; page < MOST_PAGES; page++) {
    const response = await platform.getWorkflowJournal.response({ instanceId, after, limit: JOURNAL_PAGE });
    const text = await response.text();
    const entries = JSON.parse(text) as readonly { readonly seq: number }[];
    if (entries.length > 0) pages.push(text.trim().slice(1, -1));
    if (entries.length < JOURNAL_PAGE) break;
    after = entries.at(-1)?.seq ?? after;
  }
  return `[${pages.join(',')}]`;
}
