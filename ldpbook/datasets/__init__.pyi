from .real import (
    LabelledData as LabelledData,
    RealCrowd as RealCrowd,
    fetch_emotion as fetch_emotion,
    load_adult_content as load_adult_content,
    load_bluebirds as load_bluebirds,
    load_digits as load_digits,
    load_earnings as load_earnings,
    load_flights as load_flights,
    load_lecture_ratings as load_lecture_ratings,
    load_mnist as load_mnist,
    load_opinions as load_opinions,
    load_spam as load_spam,
    load_votes as load_votes,
)
from .synthetic import (
    Crowd as Crowd,
    VotingCrowd as VotingCrowd,
    simulate_duchenne as simulate_duchenne,
    simulate_peer_grading as simulate_peer_grading,
    synthetic_crowd as synthetic_crowd,
    voting_crowd as voting_crowd,
)
