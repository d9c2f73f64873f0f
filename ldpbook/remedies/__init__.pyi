from .answer_law import (
    AnswerLaw as AnswerLaw,
)
from .answer_means import (
    MeanResult as MeanResult,
    infer_means as infer_means,
)
from .answer_medians import (
    MedianResult as MedianResult,
    infer_medians as infer_medians,
    interpolated_median as interpolated_median,
)
from .best_mechanism import (
    BestChannel as BestChannel,
    ChannelResponse as ChannelResponse,
    best_information as best_information,
    known_types_limit as known_types_limit,
    neighbour_groups as neighbour_groups,
    released_information as released_information,
    unlinked_limit as unlinked_limit,
)
from .bounds import (
    above_report_probability as above_report_probability,
    below_report_probability as below_report_probability,
    careful_log_odds as careful_log_odds,
    lp_error as lp_error,
    lp_share_kept as lp_share_kept,
    null_report_probability as null_report_probability,
    null_symbol_ratio as null_symbol_ratio,
    rr_error as rr_error,
    rr_share_kept as rr_share_kept,
    threshold_error as threshold_error,
    threshold_information as threshold_information,
)
from .decoding import (
    DecodedTruth as DecodedTruth,
    decode as decode,
)
from .phases import (
    Survey as Survey,
    infer_with_best_channels as infer_with_best_channels,
    infer_with_thresholds as infer_with_thresholds,
    next_channels as next_channels,
    next_thresholds as next_thresholds,
)
from .smaller_question import (
    ThresholdResponse as ThresholdResponse,
    ThresholdResult as ThresholdResult,
    infer_from_counts as infer_from_counts,
    question_thresholds as question_thresholds,
)
from .who_is_careful import (
    infer_from_reports as infer_from_reports,
)
from .worker_half import (
    respond as respond,
)
