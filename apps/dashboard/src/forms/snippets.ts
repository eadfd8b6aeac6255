import { writeExact } from '../data/exact-json.ts';
import type { Values } from './values.ts';

export type Language = 'curl' | 'Python' | 'JavaScript' | 'ket';
export const languages: readonly Language[] = ['curl', 'Python', 'JavaScript', 'ket'];

export interface Call {
  /** Origin of the platform. */
  readonly origin: string;
  readonly serviceId: string;
  readonly serviceName: string;
  readonly version: string;
  readonly organizationId: string | null;
  readonly input: Values;
}

/** Name of the environment variable that holds the personal access token. */
const TOKEN = 'ACCESS_TOKEN';

/** Shell function that writes a text as the inside of a JSON string. */
const JSON_OF_SHELL = String.raw`json() { printf %s "$1" | awk 'NR>1{printf "\\n"} {gsub(/[\\"]/,"\\\\&"); gsub(/\t/,"\\t"); printf "%s",$0}'; }`;

/** The call of the form as a program. Secrets are read from the environment and never stand in it. */
export function snippet(language: Language, call: Call): string {
  const { origin, serviceId, version, organizationId, serviceName } = call;
  const address = `${origin}/api/services/${serviceId}/versions/${version}/executions`;
  const secrets = Object.keys((call.input['$secrets'] as Values | undefined) ?? {});
  const { $secrets: _, ...plain } = call.input;
  switch (language) {
    case 'curl': {
      const organization = organizationId === null ? '' : ` \\\n  -H 'X-OrganizationId: ${organizationId}'`;
      // The shell puts each secret into the text, as the inside of a JSON string: its quotes end around the variable.
      const named = Object.fromEntries(secrets.map((name) => [name, `@@${variable(name)}@@`]));
      const body = writeExact(secrets.length === 0 ? plain : { ...plain, $secrets: named });
      const data = shell(body).replaceAll(/@@([A-Z0-9_]+)@@/g, `'"$$(json "$$$1")"'`);
      return `# ${TOKEN}: a personal access token. The answer comes when the execution has ended, or after 60 s.
${secrets.length === 0 ? '' : `${JSON_OF_SHELL}\n`}curl -s '${address}' \\
  -H "X-Auth-Token: $${TOKEN}"${organization} \\
  -H 'Content-Type: application/json' -H 'Prefer: wait=60' \\
  -d ${data}

# Then, with the id of the answer:
curl -s "${origin}/api/service-executions/$ID/result" -H "X-Auth-Token: $${TOKEN}"${organization.replace(' \\\n ', '')}`;
    }
    case 'Python': {
      const organization = organizationId === null ? '' : `\n    "X-OrganizationId": "${organizationId}",`;
      const added = secrets.map((name) => `${str(name)}: os.environ[${str(variable(name))}]`).join(', ');
      return `import json, os, urllib.request

HEADERS = {
    "X-Auth-Token": os.environ["${TOKEN}"],
    "Content-Type": "application/json",
    "Prefer": "wait=60",${organization}
}

def call(method, url, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, HEADERS, method=method)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)

body = json.loads(r"""${writeExact(plain)}""")
${added === '' ? '' : `body["$secrets"] = {${added}}\n`}execution = call("POST", ${str(address)}, body)
while execution["status"] in ("PENDING", "RUNNING"):
    execution = call("GET", ${str(`${origin}/api/service-executions/`)} + execution["id"])
print(json.dumps(call("GET", ${str(`${origin}/api/service-executions/`)} + execution["id"] + "/result"), indent=2))`;
    }
    case 'JavaScript': {
      const organization = organizationId === null ? '' : `\n  'X-OrganizationId': '${organizationId}',`;
      const added = secrets.map((name) => `${str(name)}: process.env.${variable(name)}`).join(', ');
      // As a text, because JSON.stringify would round long numbers.
      const text = writeExact(plain)
        .replaceAll('`', String.raw`\u0060`)
        .replaceAll('${', String.raw`\u0024{`);
      const comma = Object.keys(plain).length > 0 ? ', ' : '';
      const withSecrets = `\ninput = input.slice(0, -1) + '${comma}"$secrets": ' + JSON.stringify({ ${added} }) + '}';`;
      return `const headers = {
  'X-Auth-Token': process.env.${TOKEN},
  'Content-Type': 'application/json',
  Prefer: 'wait=60',${organization}
};

async function call(method, url, body) {
  const answer = await fetch(url, { method, headers, body });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

let input = String.raw\`${text}\`;${added === '' ? '' : withSecrets}
let execution = await call('POST', '${address}', input);
while (['PENDING', 'RUNNING'].includes(execution.status))
  execution = await call('GET', \`${origin}/api/service-executions/\${execution.id}\`);
console.log(await call('GET', \`${origin}/api/service-executions/\${execution.id}/result\`));`;
    }
    default:
      return `# Once: npm run ket -- login ${origin}${organizationId === null ? '' : `\n# Once: npm run ket -- org use ${organizationId}`}
cat > input.json <<'JSON'
${writeExact(plain)}
JSON
npm run ket -- run ${shell(`${serviceName}@${version}`)} --job --input input.json${secrets.map((name) => ` --secret ${shell(`${name}=${variable(name)}`)}`).join('')}`;
  }
}

function variable(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]/g, '_').toUpperCase();
}

/** A text as one word of a shell. */
export function shell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function str(text: string): string {
  return JSON.stringify(text);
}
