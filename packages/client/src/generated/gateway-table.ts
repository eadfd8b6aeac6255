// Made from the OpenAPI document by `npm run generate`. Change the endpoint, not this file.
export const table = {
  broadcastSignal: ['POST', '/{owner}/{service}/{version}/workflow-signals', 'json'],
  cancelExecution: ['PUT', '/{owner}/{service}/{version}/{id}/cancel', 'json'],
  getExecution: ['GET', '/{owner}/{service}/{version}/{id}', 'json'],
  getLog: ['GET', '/{owner}/{service}/{version}/{id}/log', 'json'],
  getResult: ['GET', '/{owner}/{service}/{version}/{id}/result', 'json'],
  getResultFile: ['GET', '/{owner}/{service}/{version}/{id}/result/{file}', 'stream'],
  getServiceOpenApi: ['GET', '/{owner}/{service}/{version}/openapi.json', 'json'],
  listExecutions: ['GET', '/{owner}/{service}/{version}/', 'json'],
  publishMessage: ['POST', '/{owner}/{service}/{version}/workflow-messages', 'json'],
  requestToken: ['POST', '/token', 'json'],
  startExecution: ['POST', '/{owner}/{service}/{version}/', 'json'],
} as const;
