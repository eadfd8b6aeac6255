import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { executionStatuses, type ExecutionStatus } from '@kethub/contract';
import { usageFailure } from '../failures.ts';
import { readInput } from '../input.ts';
import { parseJson, parseObject } from '../json.ts';
import { isThere } from '../project/manifest-content.ts';
import type { Shell } from '../shell.ts';
import { compare, differenceText, parseForComparison, type Comparison } from './compare.ts';

/** A call of the service and what it must answer. */
export interface Case {
  readonly name: string;
  /** JSON text of the input. */
  readonly input: string;
  /** The file with the expected result; null where none belongs. */
  readonly expectedFile: string | null;
  /** JSON text of the expected result; null when only the status is compared. */
  readonly expected: string | null;
  readonly status: ExecutionStatus;
  /** The type of the problem that is expected of an execution that fails. */
  readonly problem: string | null;
  readonly comparison: Comparison;
}

/** The end of a call. */
export interface Outcome {
  /** The status of the execution, or REFUSED when the input started none. */
  readonly status: string;
  /** JSON text of the result without HAL members, or of the cause. */
  readonly result: string;
  readonly log: string;
}

/** The verdict on a case. */
export interface Verdict {
  readonly name: string;
  readonly milliseconds: number;
  /** Differences from what is expected, a sentence each; empty when it passed. */
  readonly failures: readonly string[];
  readonly outcome: Outcome | null;
}

const CASES = 'test';

/**
 * The cases of a project: each `test/<case>/input.json`, with `expected.json` and `options.json`. The folder `input` is
 * the case `default`. Its expected result is `input/expected.json` of the folder `test/default`, where there is one.
 * @param withoutInput is called with each folder of `test` that has no `input.json`.
 */
export async function readCases(
  shell: Shell,
  folder: string,
  exact: boolean,
  withoutInput: (name: string) => void,
): Promise<Case[]> {
  const root = path.join(folder, CASES);
  const names = await foldersIn(root);
  const cases: Case[] = [];
  if (!names.includes('default') && (await isThere(path.join(folder, 'input')))) {
    const { text } = await readInput(shell, {}, folder);
    const expectedFile = path.join(root, 'default', 'expected.json');
    const comparison = { exact };
    cases.push({
      name: 'default',
      input: text,
      expectedFile,
      expected: null,
      status: 'SUCCEEDED',
      problem: null,
      comparison,
    });
  }
  for (const name of names) {
    const one = await readCase(shell, folder, name, exact);
    if (one === null) withoutInput(name);
    else cases.push(one);
  }
  if (cases.length > 0) return cases;
  throw usageFailure(
    `${folder} has no cases: neither input/*.json nor test/<case>/input.json.`,
    'mkdir -p test/first && echo \'{"data": {}, "params": {}}\' > test/first/input.json',
  );
}

async function readCase(shell: Shell, folder: string, name: string, exact: boolean): Promise<Case | null> {
  const at = path.join(folder, CASES, name);
  const inputFile = path.join(at, 'input.json');
  const usual = name === 'default' && !(await isThere(inputFile));
  if (!usual && !(await isThere(inputFile))) return null;
  const input = usual ? (await readInput(shell, {}, folder)).text : await readFile(inputFile, 'utf8');
  parseObject(input, inputFile);
  const expectedFile = path.join(at, 'expected.json');
  const expected = (await isThere(expectedFile)) ? await readFile(expectedFile, 'utf8') : null;
  if (expected !== null) parseJson(expected, expectedFile);
  return { name, input, expectedFile, expected, ...(await readOptions(path.join(at, 'options.json'), exact)) };
}

async function readOptions(file: string, exact: boolean): Promise<Pick<Case, 'status' | 'problem' | 'comparison'>> {
  const options = (await isThere(file)) ? parseObject(await readFile(file, 'utf8'), file) : {};
  const { tolerance = 0, ignore = [], status = 'SUCCEEDED', problem = null, ...unknown } = options;
  const [other] = Object.keys(unknown);
  if (other !== undefined)
    throw usageFailure(`${file}: "${other}" is unknown. It takes tolerance, ignore, status and problem.`);
  if (typeof tolerance !== 'number' || !(tolerance >= 0))
    throw usageFailure(`${file}: "tolerance" must be a number from 0 on.`);
  if (!Array.isArray(ignore) || !ignore.every((one) => typeof one === 'string' && /^(\/|$)/.test(one)))
    throw usageFailure(`${file}: "ignore" must be a list of JSON Pointers such as "/elapsed".`);
  const known = executionStatuses.find((one) => one === status);
  if (known === undefined) throw usageFailure(`${file}: "status" must be one of ${executionStatuses.join(', ')}.`);
  if (problem !== null && typeof problem !== 'string') throw usageFailure(`${file}: "problem" must be a text.`);
  return { status: known, problem, comparison: { tolerance, ignore: ignore as string[], exact } };
}

/** Differences from what the case expects. */
export function judge({ status, problem, expected, comparison }: Case, outcome: Outcome): string[] {
  const result = parseForComparison(outcome.result);
  const { type, title, detail } = (result ?? {}) as Record<string, unknown>;
  if (outcome.status !== status) {
    const why =
      outcome.status === 'FAILED' || outcome.status === 'REFUSED' ? ` (${String(title)}: ${String(detail)})` : '';
    return [`the status is ${outcome.status}${why}; expected ${status}`];
  }
  if (problem !== null && type !== problem && title !== problem)
    return [`the problem is ${String(type)}; expected ${problem}`];
  return expected === null ? [] : compare(parseForComparison(expected), result, comparison).map(differenceText);
}

async function foldersIn(folder: string): Promise<string[]> {
  if (!(await isThere(folder))) return [];
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}
