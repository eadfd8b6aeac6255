import csv
import os

from src.solver import distance

HERE = os.path.dirname(os.path.abspath(__file__))

with open(os.path.join(HERE, "data", "cities.csv")) as file:
    CITIES = {row["name"]: (float(row["x"]), float(row["y"])) for row in csv.DictReader(file)}


def run(data: dict, params: dict = {}) -> dict:
    return {"distance": distance(CITIES[data["from"]], CITIES[data["to"]]), "notebooks": os.path.exists("/app/notebooks")}
