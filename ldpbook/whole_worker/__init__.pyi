from .shuffling import (
    shuffle_epsilon as shuffle_epsilon,
)
