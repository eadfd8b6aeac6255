export { acceptedSchema } from './accepted-schema.ts';
export { inputRules, JUDGED_BYTES, checkInput, type InputRules, type GivenInput } from './input-rules.ts';
export { createValidator, problemOfSchema, type RequestSchema, type RequestValidator } from './schema.ts';
