import type { Demo } from './prepare.ts';

const SMALL_INPUT = JSON.stringify({
  data: {
    nodes: ['a', 'b', 'c'],
    edges: [
      { source: 'a', target: 'b', weight: 1 },
      { source: 'b', target: 'c', weight: 2 },
      { source: 'c', target: 'a', weight: 3 },
    ],
  },
  params: { restarts: 1, sweeps: 1000 },
});

/**
 * The calls of an application as lines for a shell, to be pasted in this order. They need curl and sed, nothing else,
 * and hold the secret of the demo application.
 */
export function curlCommands(demo: Demo, file: string): string[] {
  const bearer = `-H "Authorization: Bearer $TOKEN"`;
  const member = (name: string): string => String.raw`sed -n 's/.*"${name}" *: *"\([^"]*\)".*/\1/p'`;
  return [
    `SERVICE=${demo.endpoint.replace(/\/$/, '')}`,
    `TOKEN=$(curl -s -u '${demo.accessKeyId}:${demo.secretAccessKey}' -d grant_type=client_credentials ${demo.tokenEndpoint} | ${member('access_token')})`,
    `ID=$(curl -s ${bearer} -H 'Content-Type: application/json' -d '${SMALL_INPUT}' $SERVICE/ | ${member('id')}); echo $ID`,
    `curl -s ${bearer} -H 'Prefer: wait=30' $SERVICE/$ID; echo`,
    `curl -s ${bearer} $SERVICE/$ID/result; echo`,
    `curl -sf ${bearer} $SERVICE/$ID/result/${file} -o ${file} && echo saved ${file}`,
    `curl -s ${bearer} -H 'Accept: text/plain' $SERVICE/$ID/log`,
  ];
}
