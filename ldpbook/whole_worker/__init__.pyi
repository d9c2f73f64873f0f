from .bounds import (
    shuffle_epsilon_closed_form as shuffle_epsilon_closed_form,
)
from .shuffling import (
    shuffle_epsilon as shuffle_epsilon,
)
