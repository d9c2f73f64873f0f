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
from .categorical_answers import (
    OneLayerFlip as OneLayerFlip,
    TwoLayerFlip as TwoLayerFlip,
    decode_choices as decode_choices,
)
from .foundations import (
    infer_truth as infer_truth,
)
from .guide import (
    recommend as recommend,
)
from .practice import (
    for_release as for_release,
)
from .remedies import (
    ThresholdResponse as ThresholdResponse,
    decode as decode,
    infer_from_counts as infer_from_counts,
    infer_from_reports as infer_from_reports,
    infer_with_thresholds as infer_with_thresholds,
    question_thresholds as question_thresholds,
)
from .sparse_answers import (
    LaplacePerturbation as LaplacePerturbation,
    MatrixFactorization as MatrixFactorization,
    RandomizedResponse as RandomizedResponse,
)
from .whole_worker import (
    accounts as accounts,
)

__version__: str
