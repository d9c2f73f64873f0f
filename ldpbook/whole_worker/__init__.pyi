from .bounds import (
    advanced_epsilon as advanced_epsilon,
    response_delta as response_delta,
    response_epsilon as response_epsilon,
)
