/** More than executions are started in one run; and fewer than a project may have files. */
export const MARKS = 4_900;

export const modes = ['ok', 'raise', 'files', 'cancel'] as const;
export type Mode = (typeof modes)[number];

/** Opens its mark, which is counted from outside; lives as long as it is told; ends as it is told. */
export const witness: Readonly<Record<string, string>> = {
  'src/__init__.py': '',
  'src/program.py': `
import pathlib
import time


def run(seconds=0, mark=0, mode="ok"):
    open(f"/app/marks/{mark}").close()
    print("began", mark, flush=True)
    time.sleep(seconds)
    if mode == "files":
        pathlib.Path("/var/runtime/output/data.bin").write_bytes(b"x" * 200_000)
    print("ended", mark, flush=True)
    if mode == "raise":
        raise ValueError("as told")
    return {"mark": mark}
`,
  ...Object.fromEntries(Array.from({ length: MARKS }, (_, mark) => [`marks/${mark}`, ''])),
};
