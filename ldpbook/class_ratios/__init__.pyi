from . import bounds as bounds
from .bounds import (
    class_ratio_error_bound as class_ratio_error_bound,
    class_ratio_error_bound_corrected as class_ratio_error_bound_corrected,
    composed_delta as composed_delta,
    composed_epsilon as composed_epsilon,
    counted_share as counted_share,
    dirichlet_delta_limit as dirichlet_delta_limit,
    embedding_deviation_bound as embedding_deviation_bound,
    embedding_deviation_bound_corrected as embedding_deviation_bound_corrected,
    fourier_deviation as fourier_deviation,
    label_noise_bound as label_noise_bound,
    label_noise_bound_corrected as label_noise_bound_corrected,
    laplace_counts_delta as laplace_counts_delta,
    squared_weights as squared_weights,
)
from .intervals import (
    ratio_intervals as ratio_intervals,
)
from .mean_embeddings import (
    BANDWIDTHS as BANDWIDTHS,
    ClassRatioEstimator as ClassRatioEstimator,
    match_proportions as match_proportions,
    mean_kernels as mean_kernels,
    random_fourier_features as random_fourier_features,
)
from .noisy_counts import (
    GaussianCounts as GaussianCounts,
    GeometricCounts as GeometricCounts,
    LaplaceCounts as LaplaceCounts,
    LaplacePrior as LaplacePrior,
)
from .proportion_svm import (
    ProportionSVM as ProportionSVM,
)
from .proportions import (
    check_proportions as check_proportions,
    draw_sets as draw_sets,
    draw_weights as draw_weights,
    project_to_simplex as project_to_simplex,
    skewed_proportions as skewed_proportions,
)
from .scaled_dirichlet import (
    ScaledDirichlet as ScaledDirichlet,
    dirichlet_delta as dirichlet_delta,
)
from .shift_test import (
    ShiftTest as ShiftTest,
    label_shift_test as label_shift_test,
)
