from .bounds import (
    row_epsilon as row_epsilon,
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
