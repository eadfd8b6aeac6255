import dimod


def run(data, params):
    terms = {(one, other): weight for one, other, weight in data["terms"]}
    samples = dimod.ExactSolver().sample(dimod.BinaryQuadraticModel.from_qubo(terms)).lowest()
    return {"energy": samples.first.energy, "samples": [dict(one) for one in samples.samples()][: params["most"]]}
