export { judgeDocument } from './judge.ts';
