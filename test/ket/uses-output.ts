/** A service that writes to /var/runtime/output in the ways of numpy, pandas, programs and SQLite. */
export const usesOutput = `
import os, pathlib, subprocess, sqlite3
import numpy as np
import pandas as pd
OUT = "/var/runtime/output"
def run(data):
    if data == "sqlite":
        with sqlite3.connect(OUT + "/words.db") as base:
            base.execute("create table words (word text)")
            base.execute("insert into words values ('hello')")
        return {"word": sqlite3.connect(OUT + "/words.db").execute("select word from words").fetchone()[0]}
    np.save(OUT + "/array.npy", np.arange(4))
    np.savetxt(pathlib.Path(OUT) / "array.txt", np.arange(4))
    np.memmap(OUT + "/map.bin", dtype="int64", mode="w+", shape=(4,))[:] = 7
    pd.DataFrame({"a": [1, 2]}).to_csv(OUT + "/frame.csv", index=False)
    pd.DataFrame({"a": [1, 2]}).to_pickle(OUT + "/frame.pkl")
    os.chdir(OUT)
    pathlib.Path("here.txt").write_text("here")
    subprocess.run(["sh", "-c", "echo from a program > echoed.txt"], check=True)
    return {"array": np.load(OUT + "/array.npy").tolist(), "map": np.fromfile(OUT + "/map.bin", dtype="int64").tolist(),
            "frame": pd.read_csv(OUT + "/frame.csv")["a"].tolist(), "pickled": len(pd.read_pickle(OUT + "/frame.pkl"))}
`;
