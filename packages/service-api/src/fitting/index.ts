export { acceptedSchema } from './accepted-schema.ts';
export { fittingRules, JUDGED_BYTES, requireFit, type FittingRules, type GivenInput } from './fitting.ts';
export { createValidator, problemOfSchema, type RequestSchema, type RequestValidator } from './schema.ts';
