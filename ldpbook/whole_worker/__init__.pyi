from .again_and_again import (
    PermanentAnswers as PermanentAnswers,
    memoize as memoize,
)
from .bounds import (
    averaging_rate as averaging_rate,
    liars_as_noise as liars_as_noise,
    link_limit as link_limit,
    link_rate as link_rate,
    memoized_epsilon as memoized_epsilon,
    response_shift as response_shift,
    row_epsilon as row_epsilon,
    shuffle_epsilon_closed_form as shuffle_epsilon_closed_form,
    threshold_shift as threshold_shift,
    unary_shift as unary_shift,
)
from .composition import (
    advanced_epsilon as advanced_epsilon,
    response_delta as response_delta,
    response_epsilon as response_epsilon,
)
from .manipulation import (
    row_p_values as row_p_values,
)
from .row_attack import (
    RowLinks as RowLinks,
    link_rows as link_rows,
)
from .row_reports import (
    infer_from_rows as infer_from_rows,
    row_errors as row_errors,
)
from .sampling_bounds import (
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
from .shuffling import (
    shuffle_epsilon as shuffle_epsilon,
)
from .worker_epsilon import (
    Accounts as Accounts,
    Bracket as Bracket,
    accounts as accounts,
    accounts_table as accounts_table,
)
