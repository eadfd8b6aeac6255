const TAGS =
  'xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:bpmndi="http://www.omg.org/spec/BPMN/20100524/DI" xmlns:dc="http://www.omg.org/spec/DD/20100524/DC" xmlns:di="http://www.omg.org/spec/DD/20100524/DI"';

/** A file with a row of tasks between a start and an end event, three elements for each task with its flow and label. */
export function manyElements(tasks: number, tag = 'task'): string {
  const ids = ['start', ...Array.from({ length: tasks }, (_, at) => `task${at}`), 'end'];
  const nodes = ids.map((id) => {
    if (id === 'start') return `<startEvent id="start" />`;
    return id === 'end' ? `<endEvent id="end" />` : `<${tag} id="${id}" name="Task ${id.slice(4)}" />`;
  });
  const flows = ids.slice(1).map((to, at) => `<sequenceFlow id="to_${to}" sourceRef="${ids[at]}" targetRef="${to}" />`);
  const shapes = ids.map((id, at) => {
    const [x, y] = [160 + (at % 20) * 150, 100 + Math.floor(at / 20) * 120];
    return `<bpmndi:BPMNShape id="${id}_di" bpmnElement="${id}"><dc:Bounds x="${x}" y="${y}" width="100" height="80" /></bpmndi:BPMNShape>`;
  });
  const edges = ids.slice(1).map((to, at) => {
    const [x, y] = [260 + (at % 20) * 150, 140 + Math.floor(at / 20) * 120];
    return `<bpmndi:BPMNEdge id="to_${to}_di" bpmnElement="to_${to}"><di:waypoint x="${x}" y="${y}" /><di:waypoint x="${x + 50}" y="${y}" /></bpmndi:BPMNEdge>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<definitions ${TAGS} id="definitions" targetNamespace="urn:test">
<process id="process" isExecutable="true">${nodes.join('')}${flows.join('')}</process>
<bpmndi:BPMNDiagram id="diagram"><bpmndi:BPMNPlane id="plane" bpmnElement="process">${shapes.join('')}${edges.join('')}</bpmndi:BPMNPlane></bpmndi:BPMNDiagram>
</definitions>`;
}
