export { checkDocument } from './check.ts';
export { fromSignature, unknownSignature, type Signature } from './derive.ts';
export { installed, type Installation } from './install.ts';
export type { JsonObject, Place } from './json.ts';
export { readJson, readYaml, type Read } from './read.ts';
export { documentOf } from './template.ts';
