from . import bounds as bounds
from .bounds import (
    link_limit as link_limit,
    link_rate as link_rate,
)
from .row_attack import (
    RowLinks as RowLinks,
    link_rows as link_rows,
)
