"""Problems of the part with numbers of their own for every student."""

from collections.abc import Callable

import numpy as np

from ldpbook._problem import Problem

# row-attack

# worker-epsilon

# composition

# sampling-questions

# shuffling

# manipulation

# again-and-again

PROBLEMS: dict[str, Callable[[np.random.Generator], Problem]] = {
    # row-attack
    # worker-epsilon
    # composition
    # sampling-questions
    # shuffling
    # manipulation
    # again-and-again
}
