import json

from .program import run

if __name__ == "__main__":
    with open("input/data.json") as data, open("input/params.json") as params:
        print(run(json.load(data), json.load(params)))
