from .audit import (
    GuessAudit as GuessAudit,
    guess_audit as guess_audit,
    guess_ceiling as guess_ceiling,
)
from .budget import (
    AlreadySpentError as AlreadySpentError,
    Budget as Budget,
)
from .dyadic import (
    draw_response as draw_response,
    response_weights as response_weights,
)
from .exports import (
    label_studio_predictions as label_studio_predictions,
    read_label_studio as read_label_studio,
)
from .floating_point import (
    preimage as preimage,
)
from .instructions import (
    AskedSample as AskedSample,
    FollowedShares as FollowedShares,
    decoded_limit as decoded_limit,
    fewest_people as fewest_people,
    fit_shares as fit_shares,
    share_bounds as share_bounds,
)
from .planning import (
    epsilon_needed as epsilon_needed,
    people_for_power as people_for_power,
    people_needed as people_needed,
    power_of_difference as power_of_difference,
    watched_interval as watched_interval,
)
from .questionnaire import (
    Questionnaire as Questionnaire,
)
from .regression import (
    ReportRegression as ReportRegression,
    regress_answer as regress_answer,
    regress_on_answer as regress_on_answer,
)
from .reports import (
    ReportPlan as ReportPlan,
    write_reports as write_reports,
)
from .scale import (
    ReportCounts as ReportCounts,
    count_reports as count_reports,
    infer_stored_truth as infer_stored_truth,
    plurality as plurality,
)
from .survey import (
    EstimatedMean as EstimatedMean,
    EstimatedShare as EstimatedShare,
    belief_after_reports as belief_after_reports,
    survey_mean as survey_mean,
    survey_shares as survey_shares,
)
