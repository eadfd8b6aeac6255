export { implementationCatalog } from './catalog.ts';
export { implementationEndpoints } from './routes.ts';
export { readingEndpoints } from './reading/routes.ts';
export { writingEndpoints } from './writing/routes.ts';
export { automationEndpoints } from './automation/routes.ts';
export { SourceFollower } from './automation/follow.ts';
export { openGitStore, type GitStore } from './store.ts';
export { serveGit } from './transport/routes.ts';
