"""Another way to the keys of the part's problems, from the numbers in their texts, and misreadings."""

# row-attack

# worker-epsilon

# composition

# sampling-questions

# shuffling

# manipulation

# again-and-again

SOLVERS = {
    # row-attack
    # worker-epsilon
    # composition
    # sampling-questions
    # shuffling
    # manipulation
    # again-and-again
}
MISREADINGS = {
    # row-attack
    # worker-epsilon
    # composition
    # sampling-questions
    # shuffling
    # manipulation
    # again-and-again
}
