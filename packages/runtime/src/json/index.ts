export { inspectJson, JsonScanner, type JsonLimits, type JsonProblem, type JsonShape } from './scanner.ts';
export { partsWithout, type Member } from './watched-members.ts';
