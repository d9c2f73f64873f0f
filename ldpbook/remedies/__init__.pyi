from .answer_law import (
    AnswerLaw as AnswerLaw,
)
from .decoding import (
    DecodedTruth as DecodedTruth,
    decode as decode,
)
