from .answer_law import (
    AnswerLaw as AnswerLaw,
)
from .peers import (
    binary_search_median as binary_search_median,
    key_value_mean as key_value_mean,
    online_median as online_median,
    two_round_mean as two_round_mean,
)
