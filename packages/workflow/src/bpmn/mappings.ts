import type { Mapping } from '../graph.ts';
import { children, extension, text, type Element } from './element.ts';
import { expressionOf, feelOf, secretsOf } from './expressions.ts';
import { isVariable, reservedOutputs, whyNoVariable } from './names.ts';
import type { Report } from './report.ts';

export const SECRETS = '$secrets';

/** Names in the target of one mapping. */
const MAX_PATH = 20;

interface Mappings {
  readonly inputs: readonly Mapping[];
  readonly outputs: readonly Mapping[];
  /** Names of secrets that the inputs read. */
  readonly secrets: readonly string[];
}

export interface MappingRules {
  readonly inputs: boolean;
  readonly outputs: boolean;
  readonly secrets: boolean;
  /** True if the outputs are members of the result of the workflow. */
  readonly result: boolean;
}

/** The `zeebe:ioMapping` of an element; where an element has no use for one, it is refused. */
export function mappingsOf(report: Report, element: Element, rules: MappingRules): Mappings {
  const mapping = extension(element, 'zeebe:IoMapping');
  const inputs = mapping === null ? [] : children(mapping, 'inputParameters');
  const outputs = mapping === null ? [] : children(mapping, 'outputParameters');
  if (!rules.inputs && inputs.length > 0) report.add(element, 'MAPPING', 'This element cannot have input mappings.');
  if (!rules.outputs && outputs.length > 0) report.add(element, 'MAPPING', 'This element cannot have output mappings.');
  const secrets: string[] = [];
  return {
    inputs: inputs.flatMap((input) => inputOf(report, element, input, rules, secrets)),
    outputs: outputs.flatMap((output) => outputOf(report, element, output, rules)),
    secrets,
  };
}

/** Without `=`, the source of an input is the text itself, as Zeebe has it. */
function inputOf(report: Report, element: Element, input: Element, rules: MappingRules, secrets: string[]): Mapping[] {
  const source = text(input, 'source') ?? '';
  const target = text(input, 'target') ?? '';
  if (target === SECRETS) {
    if (!rules.secrets) {
      report.add(element, 'SECRET', 'Only service tasks can be given $secrets.');
      return [];
    }
    const read = secretsOf(report, element, source);
    if (read === null) return [];
    secrets.push(...read.names);
    return [{ source: read.expression, target: [SECRETS] }];
  }
  const path = pathOf(report, element, 'input', target);
  const expression = expressionOf(report, element, `The source of the input mapping ${target}`, source);
  return path === null || expression === null ? [] : [{ source: expression, target: path }];
}

function outputOf(report: Report, element: Element, output: Element, rules: MappingRules): Mapping[] {
  const target = text(output, 'target') ?? '';
  const path = pathOf(report, element, 'output', target);
  const expression = feelOf(
    report,
    element,
    'MAPPING',
    `The source of the output mapping ${target}`,
    text(output, 'source'),
  );
  const first = path?.[0];
  if (rules.result && first !== undefined && reservedOutputs.has(first)) {
    const message = `${first} is a name that the platform adds to responses itself (${[...reservedOutputs].join(', ')}). Choose another one for this output.`;
    report.add(element, 'ReservedOutputVariableException', message);
    return [];
  }
  return path === null || expression === null ? [] : [{ source: expression, target: path }];
}

function pathOf(report: Report, element: Element, kind: string, target: string): string[] | null {
  const path = target.split('.');
  const wrong = path.find((name) => !isVariable(name));
  if (path.length <= MAX_PATH && wrong === undefined) return path;
  const message =
    target === ''
      ? `An ${kind} mapping has no target.`
      : wrong === undefined
        ? `The target of the ${kind} mapping ${target} has more than ${MAX_PATH} names joined by dots.`
        : `The target of the ${kind} mapping ${target}: "${wrong}" ${whyNoVariable(wrong)}`;
  report.add(element, 'MAPPING', message);
  return null;
}
