declare module '*.css';
declare module 'camunda-bpmn-js-behaviors/lib/camunda-cloud/index.js' {
  const module: object;
  export default module;
}
