from .answer_law import (
    AnswerLaw as AnswerLaw,
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
