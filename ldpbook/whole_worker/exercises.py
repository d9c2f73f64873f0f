"""Exercises that can be checked: the whole worker."""

from ldpbook._exercise import Exercise

# row-attack

# worker-epsilon

# composition

# sampling-questions

# shuffling

# manipulation

# again-and-again

EXERCISES: tuple[Exercise, ...] = (
    # row-attack
    # worker-epsilon
    # composition
    # sampling-questions
    # shuffling
    # manipulation
    # again-and-again
)
