from .bounds import (
    advanced_epsilon as advanced_epsilon,
    liars_as_noise as liars_as_noise,
    response_delta as response_delta,
    response_epsilon as response_epsilon,
    response_shift as response_shift,
    threshold_shift as threshold_shift,
    unary_shift as unary_shift,
)
from .manipulation import row_p_values as row_p_values
