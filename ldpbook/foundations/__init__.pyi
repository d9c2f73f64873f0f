from . import bounds as bounds
from .answers import (
    drop_empty_workers as drop_empty_workers,
    sparsity as sparsity,
    to_matrix as to_matrix,
    to_tidy as to_tidy,
)
from .audit import (
    AuditResult as AuditResult,
    audit_epsilon as audit_epsilon,
)
from .bounds import (
    highest_belief as highest_belief,
    inverse_deviation_price as inverse_deviation_price,
    lowest_belief as lowest_belief,
)
from .local_privacy import (
    discrete_epsilon as discrete_epsilon,
    gaussian_delta as gaussian_delta,
    gaussian_epsilon as gaussian_epsilon,
    gaussian_sigma as gaussian_sigma,
)
from .randomness import (
    mean_and_error as mean_and_error,
)
from .truth_inference import (
    TruthResult as TruthResult,
    infer_truth as infer_truth,
    mean_absolute_error as mean_absolute_error,
)
