export { createApi } from './server.ts';
export { createGitServer } from './git-server.ts';
