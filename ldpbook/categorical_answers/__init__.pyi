from . import bounds as bounds, error_bounds as error_bounds
from .bounds import (
    k_ary_variance as k_ary_variance,
    log_odds_weight as log_odds_weight,
    one_layer_epsilon as one_layer_epsilon,
    one_layer_flip_probability as one_layer_flip_probability,
    two_layer_epsilon as two_layer_epsilon,
    two_layer_high as two_layer_high,
    two_layer_low as two_layer_low,
    two_layer_worker_epsilon as two_layer_worker_epsilon,
    unary_variance as unary_variance,
)
from .eigenvector import (
    CheckedChoices as CheckedChoices,
    EigenvectorVote as EigenvectorVote,
    decode_checked as decode_checked,
    eigenvector_vote as eigenvector_vote,
)
from .error_bounds import (
    delta_cdf as delta_cdf,
    delta_density as delta_density,
    equal_vote_error as equal_vote_error,
    importance_score as importance_score,
    importance_score_corrected as importance_score_corrected,
    vote_error as vote_error,
    vote_error_bound as vote_error_bound,
    vote_error_bound_corrected as vote_error_bound_corrected,
)
from .frequency_oracles import (
    FrequencyOracle as FrequencyOracle,
    k_ary_response as k_ary_response,
    local_hashing as local_hashing,
    subset_selection as subset_selection,
    unary_encoding as unary_encoding,
)
from .known_channel import (
    DecodedChoices as DecodedChoices,
    decode_choices as decode_choices,
)
from .one_layer import (
    OneLayerFlip as OneLayerFlip,
)
from .trade_off import (
    error_rate_changes as error_rate_changes,
    layers_at as layers_at,
)
from .two_layer import (
    TwoLayerFlip as TwoLayerFlip,
)
from .two_truths import (
    ChernoffChannel as ChernoffChannel,
    best_chernoff as best_chernoff,
    chernoff_information as chernoff_information,
)
from .voting import (
    DawidSkeneResult as DawidSkeneResult,
    VoteResult as VoteResult,
    dawid_skene as dawid_skene,
    majority_vote as majority_vote,
    weighted_vote as weighted_vote,
    weighted_vote_printed as weighted_vote_printed,
)
