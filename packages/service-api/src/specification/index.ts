export { fromSignature, unknownSignature, type Signature } from './derive.ts';
export { installed, type Installation } from './install.ts';
export {
  atReference,
  isObject,
  member,
  membersOf,
  pointerOf,
  resolved,
  type Json,
  type JsonObject,
  type ValidationError,
} from './json.ts';
export { readJson, readYaml } from './read.ts';
export { commonSchemas, documentOf, operationsOf, resultMembers, tagsMember } from './template.ts';
