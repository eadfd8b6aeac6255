import json
from .program import run, InputData, InputParams
print(run(InputData(), InputParams()))
