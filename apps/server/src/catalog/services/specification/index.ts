export { fromSignature, unknownSignature, type Signature } from './derive.ts';
export { installed, type Installation } from './install.ts';
export { judgeDocument } from './judge.ts';
export type { JsonObject, ValidationError } from './json.ts';
export { readJson } from './read.ts';
export { documentOf, tagsMember } from './template.ts';
