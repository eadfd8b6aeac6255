/**
 * Reasons why `ket` has no command for some operations. A key is an operation id, in which a star stands for any letters.
 */
export const operationsWithoutCommand: Readonly<Record<string, string>> = {
  commitToImplementation: 'git commit and git push do it in a clone.',
  compareImplementationRefs: 'git diff shows it in a clone.',
  downloadImplementationArchive: 'git archive makes it in a clone.',
  listImplementationCommits: 'git log shows them in a clone.',
  listImplementationRefs: 'git ls-remote shows them.',
  readImplementationCommit: 'git show shows it in a clone.',
  readImplementationFile: 'git show prints it in a clone.',
  readImplementationTree: 'git ls-tree lists it in a clone.',
  'qc*': 'Other paths, for an existing client, of what ket datapool and ket app do.',
  listEvents: 'A stream of changes for pages that are open; ket watch asks the list.',
  countWorkflowInstances: 'ket workflow instances lists the instances with their phase.',
  listAllWorkflowIncidents: 'ket workflow incidents groups them by cause, and lists those of one workflow.',
  'count*Executions':
    'The numbers of the charts in the dashboard; ket list and ket service executions list the executions.',
  listSourceFiles: 'ket service source writes all of them.',
  readSourceFile: 'ket service source writes all of them.',
  'create*Ticket': 'A browser downloads with it, because it cannot send a token with a link; ket sends its token.',
  endSessions: 'Somebody ends their sessions of browsers in the dashboard; ket keeps none.',
  getSession: 'Shows the dashboard its own session; ket has an access token.',
  authorize: 'Resolves a token for the internal services of the platform.',
  cancelOwnedExecution: 'ket cancel sends the same request through the client of the execution.',
  getOwnedExecution: 'ket status sends the same request through the client of the execution.',
  getOwnedLog: 'ket logs sends the same request through the client of the execution.',
  getOwnedResult: 'ket result sends the same request through the client of the execution.',
  getOwnedResultFile: 'ket result sends the same request through the client of the execution.',
  getWorkflowResult: 'ket result reads the result of a workflow like any other.',
  startJob: 'ket run --job names the version that it has chosen.',
  getBuild: 'ket up follows the build, and ket service show prints it.',
  getBuildLog: 'ket service build-log follows it.',
  getDataPool: 'ket datapool show finds it in the list, by its name.',
  getService: 'ket service show finds it in the list, by its name.',
  getSharedService: 'ket services lists it with its parameters.',
  getSharedApiSpecification: 'ket services lists the parameters of shared services.',
  getShare: 'ket shares lists it.',
  getSubscription: 'ket app subscriptions lists it.',
  getListing: 'ket marketplace show prints it.',
  getRegistration: 'ket admin registrations lists it.',
  getRegistrationStatus: 'ket login says when a registration still waits.',
  getSignInEndpoint: 'ket login asks it.',
  getUser: 'Resolves an id to a name, for pages that show people.',
  getUsers: 'Resolves ids to names, for pages that show people.',
  updateMe: 'The profile page of the dashboard changes the profile.',
  deleteMe: 'Somebody deletes their account in the dashboard, which shows first what goes with it.',
  uploadProfileImage: 'The profile page of the dashboard changes the picture.',
  getProfileImage: 'A terminal shows no pictures.',
  deleteProfileImage: 'The profile page of the dashboard changes the picture.',
  renewDefaultAccessToken: 'The default token belongs to the dashboard; ket login makes a token of its own.',
  reportUsage: 'The program of a service that runs elsewhere reports it, with its own clock and amounts.',
  requestToken: 'ket run asks for the token of its application.',
  listExecutions: 'ket list has the executions of all services.',
  getServiceOpenApi: 'ket service api prints the specification of a version.',
  publishMessage: 'ket workflow message publishes it as the owner.',
  broadcastSignal: 'ket workflow signal broadcasts it as the owner.',
};

/** The reason why there is no command for an operation, or null when a command is expected. */
export function reasonWithoutCommand(operation: string): string | null {
  const fits = (pattern: string): boolean => new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(operation);
  return Object.entries(operationsWithoutCommand).find(([pattern]) => fits(pattern))?.[1] ?? null;
}
