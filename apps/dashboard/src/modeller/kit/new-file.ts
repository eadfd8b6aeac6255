/** A file for a new workflow: a process with its start event. */
export function newFile(name: string): string {
  const id = `Process_${crypto.randomUUID().slice(0, 8)}`;
  const title = name.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
  return `<?xml version="1.0" encoding="UTF-8"?>
<bpmn:definitions xmlns:bpmn="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:bpmndi="http://www.omg.org/spec/BPMN/20100524/DI" xmlns:dc="http://www.omg.org/spec/DD/20100524/DC" xmlns:di="http://www.omg.org/spec/DD/20100524/DI" xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" xmlns:kethub="urn:kethub:bpmn:1" id="Definitions_1" targetNamespace="urn:kethub:workflows">
  <bpmn:process id="${id}" name="${title}" isExecutable="true">
    <bpmn:startEvent id="Start" name="Request">
      <bpmn:extensionElements>
        <kethub:requestSchema>{"type": "object", "properties": {}}</kethub:requestSchema>
      </bpmn:extensionElements>
    </bpmn:startEvent>
  </bpmn:process>
  <bpmndi:BPMNDiagram id="Diagram">
    <bpmndi:BPMNPlane id="Plane" bpmnElement="${id}">
      <bpmndi:BPMNShape id="Start_di" bpmnElement="Start">
        <dc:Bounds x="180" y="182" width="36" height="36" />
        <bpmndi:BPMNLabel><dc:Bounds x="177" y="225" width="43" height="14" /></bpmndi:BPMNLabel>
      </bpmndi:BPMNShape>
    </bpmndi:BPMNPlane>
  </bpmndi:BPMNDiagram>
</bpmn:definitions>
`;
}
