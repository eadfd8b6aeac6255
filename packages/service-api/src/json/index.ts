export { parseJson, type ParseJson } from './build.ts';
export { judgeJson, notUtf8, type JudgedJson } from './judge.ts';
export { TokenScanner, type JsonListener } from './scanner.ts';
export { notUtf8At, positionOf } from './position.ts';
export { readForm, readJson, readQuery, readText } from './read.ts';
export type { JsonMember, JsonSpan, MarkedObject, TokenRules } from './tokens.ts';
