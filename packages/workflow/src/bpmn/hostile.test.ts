import { describe, expect, it } from 'vitest';
import { parse } from '../parse.ts';
import { refusals } from '../testing/instance.ts';
import { boundary, chain, end, file, script, start, task, timer } from '../testing/xml.ts';
import { limits } from './limits.ts';

const around = (...parts: string[]) => file([start('s'), ...parts]);
const repeat = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index)).join('');

describe('refused before anything is parsed', () => {
  const entities =
    '<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;"><!ENTITY file SYSTEM "file:///etc/passwd">]>';

  it.each([
    ['document types', around().replace('<definitions', `${entities}<definitions`), ['DOCTYPE -']],
    ['document types in lower case or after comments', `<!-- <a> --><!doctype x><a/>`, ['DOCTYPE -']],
    ['files that are too long', around(`<documentation>${'x'.repeat(limits.xml)}</documentation>`), ['TOO_LARGE -']],
    ['too many XML elements', around(repeat(limits.xmlElements, () => '<a/>')), ['TOO_LARGE -']],
    ['XML elements too deep in each other', around('<a>'.repeat(limits.xmlDepth + 1)), ['TOO_LARGE -']],
    ['too many namespaces', around(repeat(4_000, (index) => `<a${index}:b xmlns:a${index}="u"/>`)), ['TOO_LARGE -']],
  ])('%s', async (_, xml, problems) => expect(await refusals(xml)).toEqual(problems));

  it('bytes that are too many, or no text in the encoding they declare', async () => {
    expect(await refusals(new Uint8Array(limits.xml + 1))).toEqual(['TOO_LARGE -']);
    expect(await refusals(new Uint8Array([0x3c, 0x61, 0xff, 0x2f, 0x3e]))).toEqual(['ENCODING -']);
    expect(await refusals(Buffer.from('<?xml version="1.0" encoding="x-unknown"?><a/>'))).toEqual(['ENCODING -']);
  });
});

describe('refused, and located', () => {
  it.each([
    ['no XML', 'hello'],
    ['nothing', ''],
    ['other XML', '<html><body/></html>'],
    ['XML that breaks off', around().slice(0, -20)],
    ['tags within tags', '<'.repeat(10_000)],
    ['a quote that never ends', `<definitions id="${'<'.repeat(10_000)}`],
    ['zero bytes', '\0'.repeat(1000)],
  ])('%s', async (_, xml) => {
    const result = await parse(xml);
    expect(result).toMatchObject({ problems: [{ code: 'NOT_BPMN', line: expect.any(Number) as number }] });
  });

  it.each<[string, string, string[]]>([
    ['two elements with one id', around(task('t'), task('t')), ['DUPLICATE_ID t']],
    [
      'references to nothing',
      around('<sequenceFlow id="f" sourceRef="s" targetRef="gone"/>'),
      ['DANGLING_REFERENCE f'],
    ],
    [
      'references to what JavaScript knows',
      around('<sequenceFlow id="f" sourceRef="s" targetRef="constructor"/>'),
      ['DANGLING_REFERENCE f'],
    ],
    ['ids that JavaScript knows', around(task('__proto__')), ['INVALID_ID __proto__']],
    ['ids that are no names', around(task('tâche')), ['INVALID_ID tâche']],
    ['elements without id', around('<task/>'), ['INVALID_ID process']],
    ['unknown elements', around('<fooTask id="f"/>'), ['UNKNOWN_CONTENT f']],
    [
      'unknown elements without id',
      around('<subProcess id="sub"><!-- <x id="no"> --><foo/></subProcess>'),
      ['UNKNOWN_CONTENT sub'],
    ],
    [
      'sub-processes too deep in each other',
      around(
        repeat(limits.scopeDepth + 1, (index) => `<subProcess id="x${index}"><startEvent id="s${index}"/>`),
        '</subProcess>'.repeat(limits.scopeDepth + 1),
      ),
      [`TOO_LARGE x${limits.scopeDepth}`],
    ],
    ['too many elements', around(repeat(limits.elements, (index) => task(`t${index}`))), ['TOO_LARGE process']],
    ['expressions too deep', around(script('x', 'v', `=${'('.repeat(5000)}1${')'.repeat(5000)}`)), ['EXPRESSION x']],
    [
      'more expressions than can be compiled in a moment',
      around(repeat(200, (index) => script(`x${index}`, 'v', `=[${'1,'.repeat(1000)}1]`))),
      ['TOO_LARGE x149'],
    ],
    ['expressions too long', around(script('x', 'v', `=1${'+1'.repeat(20_000)}`)), ['EXPRESSION x']],
  ])('%s', async (_, xml, problems) => expect(await refusals(xml)).toEqual(problems));

  it('at most a hundred problems', async () => {
    expect(await refusals(around(repeat(500, (index) => `<userTask id="u${index}"/>`)))).toHaveLength(100);
  });
});

it('ids and names that JavaScript knows are ids like others', async () => {
  expect(await refusals(around(task('constructor'), task('toString'), chain('s', 'constructor', 'toString')))).toEqual(
    [],
  );
});

describe('what describes and is not run may be incomplete', () => {
  const beside = (more: string) => around().replace('<process', `${more}<process`);

  it.each([
    [
      'references of lanes, associations and data',
      around(
        '<laneSet id="l"><lane id="a"><flowNodeRef>gone</flowNodeRef></lane></laneSet><association id="b" sourceRef="s" targetRef="gone"/><property id="c" itemSubjectRef="xsd:string"/>',
      ),
    ],
    [
      'message flows and pools',
      beside(
        '<collaboration id="c"><participant id="p" processRef="gone"/><messageFlow id="m" sourceRef="p" targetRef="gone"/></collaboration>',
      ),
    ],
    [
      'processes that are not executable',
      beside(
        '<process id="other"><task/><fooTask id="x"/><userTask id="y z"/><sequenceFlow id="f" sourceRef="gone" targetRef="gone"/></process>',
      ),
    ],
    [
      'diagrams',
      beside(
        '<di:BPMNDiagram xmlns:di="http://www.omg.org/spec/BPMN/20100524/DI" id="s"><di:BPMNPlane bpmnElement="gone"/></di:BPMNDiagram>',
      ).replace(/(<di:BPMNDiagram.*<\/di:BPMNDiagram>)(.*)(<\/definitions>)/s, '$2$1$3'),
    ],
  ])('%s', async (_, xml) => expect(await refusals(xml)).toEqual([]));

  it('but not what a process that is run depends on', async () => {
    const executable = '<process id="other" isExecutable="true"><startEvent id="o"/><fooTask id="x"/></process>';
    expect(await refusals(beside(executable))).toEqual(['UNKNOWN_CONTENT x']);
    const catches =
      '<task id="t"/><boundaryEvent id="b" attachedToRef="t"><errorEventDefinition errorRef="gone"/></boundaryEvent>';
    expect(await refusals(around(catches))).toEqual(['DANGLING_REFERENCE b']);
  });
});

it('references may have the prefix of the namespace that the file defines', async () => {
  const xml = around(task('t'), '<sequenceFlow id="f" sourceRef="me:s" targetRef="me:t"/>');
  const defines = (namespace: string) =>
    xml
      .replace('<definitions', `<definitions xmlns:me="${namespace}" targetNamespace="urn:me"`)
      .replace(/ targetNamespace="(?!urn:me)[^"]*"/, '');
  expect(await refusals(defines('urn:me'))).toEqual([]);
  expect(await refusals(defines('urn:other'))).toEqual(['DANGLING_REFERENCE f', 'DANGLING_REFERENCE f']);
});

it('reads 1 as true, as XML Schema has it', async () => {
  const xml = file([
    start('s'),
    task('t'),
    boundary('b', 't', timer('duration', 'PT1H')),
    end('e'),
    chain('s', 't'),
    chain('b', 'e'),
  ]);
  const result = await parse(
    xml.replace('isExecutable="true"', "isExecutable = '1'").replace('cancelActivity="true"', 'cancelActivity="1"'),
  );
  const event = 'graph' in result ? result.graph.processes.get('process')?.nodes.get('b') : null;
  expect(event).toMatchObject({ kind: 'boundaryEvent', interrupting: true });
});

it('reads attributes with spaces around what they are set to, and leaves texts as they are', async () => {
  const xml = around('<task\nid\n=\n"t"\tname =\'a = "1" isExecutable = "1"\'/>', script('x', 'v', '= [1] = " = "'));
  const result = await parse(xml);
  const nodes = 'graph' in result ? result.graph.processes.get('process')?.nodes : undefined;
  expect(nodes?.get('t')?.name).toBe('a = "1" isExecutable = "1"');
  expect(nodes?.get('x')).toMatchObject({ expression: { source: '= [1] = " = "' } });
});

it.each([
  ['a name', 'a'.repeat(1_000_000)],
  ['a prefix', `${'a'.repeat(500_000)}:${'b'.repeat(500_000)}`],
  ['spaces', `a${' '.repeat(1_000_000)}`],
  ['unknown attributes', repeat(50_000, (index) => `a${index}="" `)],
  ['quotes', `a="${"'".repeat(500_000)}" b='${'"'.repeat(500_000)}'`],
])('the time that a tag takes grows no faster than the tag: %s', async (_, content) => {
  expect(await refusals(around(`<task id="t" ${content}/>`, '<fooTask id="f"/>'))).not.toEqual([]);
});

it('reads the encodings that files declare', async () => {
  const xml = around(task('t').replace('id="t"', 'id="t" name="Übersicht"'));
  const latin = Buffer.from(xml.replace('UTF-8', 'ISO-8859-1'), 'latin1');
  const utf16 = Buffer.from(`\uFEFF${xml.replace('UTF-8', 'UTF-16')}`, 'utf16le');
  const wrongly = Buffer.from(xml.replace('UTF-8', 'UTF-16'));
  for (const bytes of [latin, utf16, utf16.subarray(2), wrongly, Buffer.from(xml)]) {
    const result = await parse(bytes);
    expect('graph' in result && result.graph.processes.get('process')?.nodes.get('t')?.name).toBe('Übersicht');
  }
});
