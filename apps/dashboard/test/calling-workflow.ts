/** A name and an input that would be a script if they were taken for HTML. */
export const HOSTILE = '<img src=x onerror=alert(1)>';

/** A process that calls another one of its file, which compares a number with whatever `x` is. */
export const CALLING = `<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" xmlns:bpmndi="http://www.omg.org/spec/BPMN/20100524/DI"
  xmlns:dc="http://www.omg.org/spec/DD/20100524/DC" xmlns:di="http://www.omg.org/spec/DD/20100524/DI"
  id="definitions" targetNamespace="urn:test">
<process id="outer" isExecutable="true">
  <startEvent id="start" name="Begin" />
  <callActivity id="calling" name="${HOSTILE.replaceAll('<', '&lt;')}"><extensionElements>
    <zeebe:calledElement processId="inner" propagateAllChildVariables="false" />
    <zeebe:ioMapping><zeebe:input source="=x" target="x" /><zeebe:output source="=y" target="y" /></zeebe:ioMapping>
  </extensionElements></callActivity>
  <endEvent id="end"><extensionElements><zeebe:ioMapping><zeebe:output source="=y" target="y" /></zeebe:ioMapping></extensionElements></endEvent>
  <sequenceFlow id="f1" sourceRef="start" targetRef="calling" /><sequenceFlow id="f2" sourceRef="calling" targetRef="end" />
</process>
<process id="inner" isExecutable="true">
  <startEvent id="inner_start" />
  <exclusiveGateway id="which" name="Large?" default="g3" />
  <scriptTask id="twice" name="Twice"><extensionElements><zeebe:script expression="=x * 2" resultVariable="y" /></extensionElements></scriptTask>
  <endEvent id="inner_end" />
  <sequenceFlow id="g1" sourceRef="inner_start" targetRef="which" />
  <sequenceFlow id="g2" sourceRef="which" targetRef="twice"><conditionExpression xsi:type="tFormalExpression">=x &gt; 1</conditionExpression></sequenceFlow>
  <sequenceFlow id="g3" sourceRef="which" targetRef="inner_end" /><sequenceFlow id="g4" sourceRef="twice" targetRef="inner_end" />
</process>
<bpmndi:BPMNDiagram id="d1"><bpmndi:BPMNPlane id="p1" bpmnElement="outer">
  <bpmndi:BPMNShape id="start_di" bpmnElement="start"><dc:Bounds x="160" y="122" width="36" height="36" /><bpmndi:BPMNLabel><dc:Bounds x="162" y="165" width="32" height="14" /></bpmndi:BPMNLabel></bpmndi:BPMNShape>
  <bpmndi:BPMNShape id="calling_di" bpmnElement="calling"><dc:Bounds x="260" y="100" width="100" height="80" /></bpmndi:BPMNShape>
  <bpmndi:BPMNShape id="end_di" bpmnElement="end"><dc:Bounds x="420" y="122" width="36" height="36" /></bpmndi:BPMNShape>
  <bpmndi:BPMNEdge id="f1_di" bpmnElement="f1"><di:waypoint x="196" y="140" /><di:waypoint x="260" y="140" /></bpmndi:BPMNEdge>
  <bpmndi:BPMNEdge id="f2_di" bpmnElement="f2"><di:waypoint x="360" y="140" /><di:waypoint x="420" y="140" /></bpmndi:BPMNEdge>
</bpmndi:BPMNPlane></bpmndi:BPMNDiagram>
<bpmndi:BPMNDiagram id="d2"><bpmndi:BPMNPlane id="p2" bpmnElement="inner">
  <bpmndi:BPMNShape id="inner_start_di" bpmnElement="inner_start"><dc:Bounds x="160" y="122" width="36" height="36" /></bpmndi:BPMNShape>
  <bpmndi:BPMNShape id="which_di" bpmnElement="which" isMarkerVisible="true"><dc:Bounds x="250" y="115" width="50" height="50" /><bpmndi:BPMNLabel><dc:Bounds x="257" y="91" width="37" height="14" /></bpmndi:BPMNLabel></bpmndi:BPMNShape>
  <bpmndi:BPMNShape id="twice_di" bpmnElement="twice"><dc:Bounds x="350" y="20" width="100" height="80" /></bpmndi:BPMNShape>
  <bpmndi:BPMNShape id="inner_end_di" bpmnElement="inner_end"><dc:Bounds x="500" y="122" width="36" height="36" /></bpmndi:BPMNShape>
  <bpmndi:BPMNEdge id="g1_di" bpmnElement="g1"><di:waypoint x="196" y="140" /><di:waypoint x="250" y="140" /></bpmndi:BPMNEdge>
  <bpmndi:BPMNEdge id="g2_di" bpmnElement="g2"><di:waypoint x="275" y="115" /><di:waypoint x="275" y="60" /><di:waypoint x="350" y="60" /></bpmndi:BPMNEdge>
  <bpmndi:BPMNEdge id="g3_di" bpmnElement="g3"><di:waypoint x="300" y="140" /><di:waypoint x="500" y="140" /></bpmndi:BPMNEdge>
  <bpmndi:BPMNEdge id="g4_di" bpmnElement="g4"><di:waypoint x="450" y="60" /><di:waypoint x="518" y="60" /><di:waypoint x="518" y="122" /></bpmndi:BPMNEdge>
</bpmndi:BPMNPlane></bpmndi:BPMNDiagram>
</definitions>`;
