export { type BuilderOptions, createBuilder } from './builder.ts';
export type { EnvironmentLock } from './lock.ts';
export type { Builder, BuildOutcome, BuiltCode, OnLine, Parameter } from './outcome.ts';
export type { BuildProblem, BuildProblemCode } from './problem.ts';
