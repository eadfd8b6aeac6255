/** The same work as a service and as a line for `python3 -c`. */
export interface Workload {
  readonly files: Readonly<Record<string, string>>;
  readonly line: string;
}

export const trivial: Workload = {
  files: { 'src/__init__.py': '', 'src/program.py': 'def run(data=None):\n    return {"sum": sum(range(1000))}\n' },
  line: 'import json; print(json.dumps({"sum": sum(range(1000))}))',
};

export const numpy: Workload = {
  files: {
    'src/__init__.py': '',
    'src/program.py': 'import numpy\n\n\ndef run(data=None):\n    return {"sum": int(numpy.arange(1000).sum())}\n',
    'requirements.txt': 'numpy==2.2.6\n',
  },
  line: 'import json, numpy; print(json.dumps({"sum": int(numpy.arange(1000).sum())}))',
};
