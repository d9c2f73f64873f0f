from . import (
    categorical_answers as categorical_answers,
    class_ratios as class_ratios,
    datasets as datasets,
    foundations as foundations,
    guide as guide,
    localization as localization,
    mechanism as mechanism,
    practice as practice,
    remedies as remedies,
    sparse_answers as sparse_answers,
    whole_worker as whole_worker,
)
from .categorical_answers.known_channel import decode_choices as decode_choices
from .categorical_answers.one_layer import OneLayerFlip as OneLayerFlip
from .categorical_answers.two_layer import TwoLayerFlip as TwoLayerFlip
from .foundations.truth_inference import infer_truth as infer_truth
from .guide import recommend as recommend
from .remedies.answer_medians import infer_medians as infer_medians
from .remedies.decoding import decode as decode
from .remedies.phases import infer_with_thresholds as infer_with_thresholds
from .remedies.smaller_question import (
    ThresholdResponse as ThresholdResponse,
    question_thresholds as question_thresholds,
)
from .remedies.who_is_careful import infer_from_reports as infer_from_reports
from .sparse_answers.laplace import LaplacePerturbation as LaplacePerturbation
from .sparse_answers.matrix_factorization import MatrixFactorization as MatrixFactorization
from .sparse_answers.randomized_response import RandomizedResponse as RandomizedResponse
from .whole_worker.worker_epsilon import accounts as accounts

__version__: str
