"""Right and wrong answers to the exercises of the part on the whole worker."""

# row-attack

# worker-epsilon

# composition

# sampling-questions

# shuffling

# manipulation

# again-and-again

RIGHT = {
    # row-attack
    # worker-epsilon
    # composition
    # sampling-questions
    # shuffling
    # manipulation
    # again-and-again
}

WRONG = {
    # row-attack
    # worker-epsilon
    # composition
    # sampling-questions
    # shuffling
    # manipulation
    # again-and-again
}
