from .bounds import (
    asked_information as asked_information,
    mixed_information as mixed_information,
    own_information as own_information,
    questions_to_ask as questions_to_ask,
    row_information_limit as row_information_limit,
)
from .sampling_questions import (
    AskedQuestions as AskedQuestions,
    MixedSigns as MixedSigns,
    OwnAnswer as OwnAnswer,
    RowMechanism as RowMechanism,
    row_designs as row_designs,
)
