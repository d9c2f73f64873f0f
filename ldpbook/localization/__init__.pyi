from . import bounds as bounds
from .belief_propagation import (
    belief_means as belief_means,
    grid_beliefs as grid_beliefs,
    grid_places as grid_places,
)
from .bounds import (
    cooperative_limit as cooperative_limit,
    gathered_powers as gathered_powers,
    location_epsilon as location_epsilon,
    location_sigma as location_sigma,
    negative_square_probability as negative_square_probability,
    planar_laplace_error as planar_laplace_error,
    printed_powers as printed_powers,
    product_likelihood as product_likelihood,
    user_epsilon as user_epsilon,
    user_sigma as user_sigma,
)
from .encrypted_inference import (
    BlindServer as BlindServer,
    LocalizingUser as LocalizingUser,
    Report as Report,
    UpdateCost as UpdateCost,
    encrypted_update as encrypted_update,
    make_keys as make_keys,
    update_cost as update_cost,
)
from .forgotten_weights import (
    messages as messages,
    own_update as own_update,
    source_update as source_update,
)
from .mobility import (
    measured_distances as measured_distances,
    random_waypoint as random_waypoint,
)
from .most_likely import (
    most_likely_particles as most_likely_particles,
)
from .noisy_distances import (
    halved_distance as halved_distance,
    printed_distance as printed_distance,
    rice_distance as rice_distance,
)
from .particles import (
    Localization as Localization,
    effective_size as effective_size,
    estimate as estimate,
    localize as localize,
    normalize as normalize,
    resample as resample,
    sum_product_update as sum_product_update,
    uniform_clouds as uniform_clouds,
)
from .perturbed_particles import (
    ParticlePerturbation as ParticlePerturbation,
)
from .planar_laplace import (
    LatticeLaplace as LatticeLaplace,
    PlanarLaplace as PlanarLaplace,
    best_place_mechanism as best_place_mechanism,
    remapped as remapped,
)
