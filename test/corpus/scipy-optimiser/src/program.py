import numpy as np
from scipy.optimize import minimize


def rosenbrock(x):
    return float(np.sum(100.0 * (x[1:] - x[:-1] ** 2.0) ** 2.0 + (1 - x[:-1]) ** 2.0))


def run(data, params):
    found = minimize(rosenbrock, np.array(data["start"]), method=params.get("method", "BFGS"))
    return {"x": np.round(found.x, 3), "success": found.success, "evaluations": found.nfev}
