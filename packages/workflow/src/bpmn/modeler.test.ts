import { BpmnModdle } from 'bpmn-moddle';
import { expect, it } from 'vitest';
import zeebe from 'zeebe-bpmn-moddle/resources/zeebe.json' with { type: 'json' };
import { requirements } from '../requirements.ts';
import { accepted, Instance } from '../testing/instance.ts';
import { serviceId } from '../testing/xml.ts';

/** As Camunda's modeler writes files: prefixes, its own attributes, `incoming` and `outgoing`, the picture. */
const written = `<?xml version="1.0" encoding="UTF-8"?>
<bpmn:definitions xmlns:bpmn="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:bpmndi="http://www.omg.org/spec/BPMN/20100524/DI" xmlns:dc="http://www.omg.org/spec/DD/20100524/DC" xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" xmlns:kethub="urn:kethub:bpmn:1" xmlns:di="http://www.omg.org/spec/DD/20100524/DI" xmlns:modeler="http://camunda.org/schema/modeler/1.0" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" id="Definitions_1" targetNamespace="http://bpmn.io/schema/bpmn" exporter="Camunda Modeler" exporterVersion="5.40.0" modeler:executionPlatform="Camunda Cloud" modeler:executionPlatformVersion="8.8.0">
  <bpmn:process id="Process_1" name="Cut" isExecutable="true">
    <bpmn:extensionElements>
      <zeebe:versionTag value="1" />
    </bpmn:extensionElements>
    <bpmn:startEvent id="Start" name="Graph">
      <bpmn:extensionElements>
        <kethub:requestSchema>{"type": "object"}</kethub:requestSchema>
      </bpmn:extensionElements>
      <bpmn:outgoing>Flow_1</bpmn:outgoing>
    </bpmn:startEvent>
    <bpmn:serviceTask id="Solve" name="Solve" zeebe:modelerTemplate="platform.service.x" zeebe:modelerTemplateVersion="1">
      <bpmn:extensionElements>
        <zeebe:taskDefinition type="platform-service" retries="3" />
        <zeebe:taskHeaders>
          <zeebe:header key="serviceId" value="${serviceId}" />
          <zeebe:header key="serviceVersion" value="1.0.0" />
        </zeebe:taskHeaders>
        <zeebe:ioMapping>
          <zeebe:input source="=graph" target="data" />
          <zeebe:output source="=cut" target="cut" />
        </zeebe:ioMapping>
      </bpmn:extensionElements>
      <bpmn:incoming>Flow_1</bpmn:incoming>
      <bpmn:outgoing>Flow_2</bpmn:outgoing>
    </bpmn:serviceTask>
    <bpmn:boundaryEvent id="Failed" attachedToRef="Solve">
      <bpmn:extensionElements>
        <kethub:payload variable="why" />
      </bpmn:extensionElements>
      <bpmn:outgoing>Flow_3</bpmn:outgoing>
      <bpmn:errorEventDefinition id="ErrorEventDefinition_1" errorRef="Error_1" />
    </bpmn:boundaryEvent>
    <bpmn:sequenceFlow id="Flow_1" sourceRef="Start" targetRef="Solve" />
    <bpmn:sequenceFlow id="Flow_2" sourceRef="Solve" targetRef="Done" />
    <bpmn:sequenceFlow id="Flow_3" sourceRef="Failed" targetRef="Broken" />
    <bpmn:endEvent id="Done">
      <bpmn:extensionElements>
        <zeebe:ioMapping>
          <zeebe:output source="=cut" target="result" />
        </zeebe:ioMapping>
      </bpmn:extensionElements>
      <bpmn:incoming>Flow_2</bpmn:incoming>
    </bpmn:endEvent>
    <bpmn:endEvent id="Broken">
      <bpmn:extensionElements>
        <kethub:errorMessage expression="=&#34;Not solved: &#34; + why.message" />
      </bpmn:extensionElements>
      <bpmn:incoming>Flow_3</bpmn:incoming>
      <bpmn:errorEventDefinition id="ErrorEventDefinition_2" errorRef="Error_2" />
    </bpmn:endEvent>
  </bpmn:process>
  <bpmn:error id="Error_1" name="Service failed" errorCode="SERVICE_FAILED" />
  <bpmn:error id="Error_2" name="Not solved" errorCode="NOT_SOLVED" />
  <bpmndi:BPMNDiagram id="BPMNDiagram_1">
    <bpmndi:BPMNPlane id="BPMNPlane_1" bpmnElement="Process_1">
      <bpmndi:BPMNShape id="Start_di" bpmnElement="Start"><dc:Bounds x="180" y="100" width="36" height="36" /></bpmndi:BPMNShape>
      <bpmndi:BPMNEdge id="Flow_1_di" bpmnElement="Flow_1"><di:waypoint x="216" y="118" /><di:waypoint x="270" y="118" /></bpmndi:BPMNEdge>
    </bpmndi:BPMNPlane>
  </bpmndi:BPMNDiagram>
</bpmn:definitions>`;

it("runs what Camunda's modeler writes", async () => {
  const graph = await accepted(written);
  const instance = new Instance(graph, { graph: [1] });
  expect(instance.input('Solve')).toEqual({ data: [1] });
  for (let call = 1; call < 3; call++) {
    instance.fail('Solve', { detail: 'no qubits' });
    instance.due('Solve');
  }
  instance.fail('Solve', { detail: 'no qubits' });
  expect(instance.state.incidents).toMatchObject([
    { error: { errorCode: 'NOT_SOLVED', message: 'Not solved: no qubits' } },
  ]);
});

it('is the same after a modeler that does not know our elements has opened and saved it', async () => {
  const modeler = new BpmnModdle({ zeebe });
  const { rootElement, warnings } = await modeler.fromXML(written);
  expect(warnings).toEqual([]);
  const { xml } = await modeler.toXML(rootElement, { format: true });
  const [before, after] = [await accepted(written), await accepted(xml)];
  expect(requirements(after)).toEqual(requirements(before));
  const shape = (graph: typeof before) => JSON.stringify([...(graph.processes.get('Process_1')?.nodes.values() ?? [])]);
  expect(shape(after)).toBe(shape(before));
});
