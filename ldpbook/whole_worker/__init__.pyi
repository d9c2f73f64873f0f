from . import bounds as bounds
from .again_and_again import (
    PermanentAnswers as PermanentAnswers,
    memoise as memoise,
)
from .bounds import (
    averaging_rate as averaging_rate,
    link_limit as link_limit,
    link_rate as link_rate,
    memoised_epsilon as memoised_epsilon,
)
from .row_attack import (
    RowLinks as RowLinks,
    link_rows as link_rows,
from .bounds import (
    row_epsilon as row_epsilon,
from .bounds import (
    shuffle_epsilon_closed_form as shuffle_epsilon_closed_form,
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
