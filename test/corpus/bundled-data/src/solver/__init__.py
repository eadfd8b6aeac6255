from src.solver.distances import distance

__all__ = ["distance"]
