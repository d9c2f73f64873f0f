from .answer_law import (
    AnswerLaw as AnswerLaw,
)
