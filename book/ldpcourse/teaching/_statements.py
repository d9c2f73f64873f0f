"""Statements for exams, which are true, false, or true under a condition that is not named."""

from dataclasses import dataclass

VERDICTS = ("true", "false", "needs a condition")
TOPICS = ("privacy", "estimates")


@dataclass(frozen=True)
class Statement:
    """A statement to judge, with its topic and week and, for graders, the verdict and the reason."""

    name: str
    topic: str
    week: int  # the first week in which it can be asked
    text: str
    verdict: str
    reason: str


STATEMENTS = (
    Statement(
        "null-pairs",
        "privacy",
        2,
        "A mechanism that is epsilon-cell LDP for value-value pairs is epsilon-cell LDP for NULL-value"
        " pairs, with the same epsilon.",
        "false",
        "The two sets of pairs are different. Take a mechanism that perturbs answers and leaves NULL as it"
        " is. Then for a NULL-value pair the output NULL occurs under only one of the two, and epsilon is"
        " infinite.",
    ),
    Statement(
        "exact-sum",
        "privacy",
        2,
        "Two mechanisms with independent coins have the exact epsilons a and b for the same pair of inputs."
        " Together they have the exact epsilon a + b for this pair.",
        "needs a condition",
        "a + b is an upper bound. It is exact if both largest losses are attained in the same direction, as"
        " with randomized response, whose losses are symmetric. The sum is smaller if one mechanism's loss is"
        " largest from the first input to the second, and the other's in the opposite direction.",
    ),
    Statement(
        "rounded-output",
        "privacy",
        2,
        "A curator rounds the output of an epsilon-LDP mechanism and then guesses the answer from it by any"
        " rule. The guess is still epsilon-LDP.",
        "true",
        "This is post-processing. A function of the output, random or not, that does not look at the answer"
        " again can only merge outputs, and a ratio of sums is at most the largest ratio of the summands.",
    ),
    Statement(
        "epsilon-zero",
        "privacy",
        2,
        "One cell passes through a mechanism whose exact epsilon is 0 for all pairs of contents. Then no"
        " output changes the belief about the content of someone who knows nothing about the mechanism's"
        " coins.",
        "true",
        "Every output has the same probability, or density, under all contents. By Bayes' rule the belief"
        " after the output is the belief before it, whatever that was.",
    ),
    Statement(
        "audit-refutes",
        "privacy",
        2,
        "In 2,000 runs for each of two contents an auditor finds an event for which Clopper and Pearson's"
        " limits, at 95 % together, show that epsilon is at least 0.3. So, with an error probability of at"
        " most 5 %, the claim of 0.2-LDP is refuted.",
        "needs a condition",
        "The limits of Clopper and Pearson hold for independent samples, and for an event that was chosen"
        " without looking at the samples in which it is counted. Here the auditor searched the samples for"
        " the event: among enough outputs there is such an event even if the mechanism ignores its input.",
    ),
    Statement(
        "central-to-local",
        "privacy",
        2,
        "A curator's publication is epsilon-differentially private for the replacement of one worker's row."
        " So each worker is protected from the curator with epsilon.",
        "false",
        "The central promise is about the publication; the curator has seen all rows as they are. The"
        " converse holds, for worker pairs and independent coins.",
    ),
    Statement(
        "own-mean-fill",
        "privacy",
        3,
        "There are three or more tasks. Every worker fills her empty cells with the mean of her own answers,"
        " which lies in the domain too; a worker without answers uses the middle. Then Laplace perturbation"
        " is still epsilon-cell LDP, NULL included.",
        "false",
        "The fill now depends on the answers: one cell changes the fill of all empty cells of the row, and"
        " the losses of these outputs add up. With a single answer that changes from one end to the other,"
        " and n - 1 empty cells, the exact epsilon is n times that of a cell.",
    ),
    Statement(
        "rows-of-k",
        "privacy",
        3,
        "Each cell passes through randomized response over answers and NULL with epsilon. Then two rows that"
        " differ in k cells have the exact epsilon k times epsilon.",
        "true",
        "Cells are perturbed independently, so losses add up. In each of the k cells the output that equals"
        " the first row's content has the loss epsilon, and all k of these outputs can occur together.",
    ),
    Statement(
        "mf-counts",
        "privacy",
        4,
        "Matrix-factorization perturbation is private for values. So an attacker who sees a worker's profile"
        " cannot tell how many tasks she answered.",
        "false",
        "That would require NULL-value pairs, which are not protected. The spread of the noise in the profile"
        " falls with the number of answers, so the ratio of densities exceeds every bound at some profiles.",
    ),
    Statement(
        "mf-fill",
        "privacy",
        4,
        "If NULL is replaced by a public constant before matrix-factorization perturbation with its noise of"
        " scale (number of possible answers)/epsilon, then NULL-value pairs have epsilon too.",
        "needs a condition",
        "The constant must lie in the domain, or at least be no farther from any answer than the number of"
        " possible answers. A constant far outside moves the noisy sum by more than the noise is made for.",
    ),
    Statement(
        "more-flips",
        "privacy",
        5,
        "Under one layer, the more often answers are flipped, the smaller is the epsilon of a cell.",
        "needs a condition",
        "This holds only up to the flip probability 1 - 1/s on s choices, where epsilon is 0. Beyond it,"
        " epsilon rises again: an answer that is always flipped reveals which choice is not the answer, and"
        " on two choices it reveals everything.",
    ),
    Statement(
        "shared-coin",
        "privacy",
        6,
        "Under two layers, a user draws her flip probability once and flips each answer with a separate coin."
        " All reports are released. Then the exact epsilon of one of her cells does not depend on how many"
        " answers she gives.",
        "false",
        "The other outputs reveal something about the shared flip probability. In the interval from 0.1 to"
        " 0.5, on two choices, a single answer has epsilon 0.847, and with many answers epsilon tends to"
        " ln 9 = 2.197.",
    ),
    Statement(
        "two-layer-ceiling",
        "privacy",
        6,
        "There are two choices, and flip probabilities come from U(a, b) with 0 < a < b < 1/2. Then, however"
        " many answers a user gives, the exact epsilon of one cell stays below ln((1 - a)/a).",
        "true",
        "Given p, the absolute loss of an output is at most ln((1 - p)/p), so at most ln((1 - a)/a)."
        " Probabilities are means over p, and p is not constant, so the loss is strictly smaller."
        " ln((1 - a)/a) is the limit for many answers.",
    ),
    Statement(
        "worker-by-cells",
        "privacy",
        6,
        "Take two layers on two choices with U(a, b), a < b < 1/2, and k answers, k at least 2. The whole"
        " worker has exactly k times the epsilon of one answer under one layer with the mean flip"
        " probability.",
        "false",
        "The flips of a row share one probability, so the row's probabilities are means of products. No flip"
        " at all and all flips both become likelier, the latter relatively more, so the ratio is smaller.",
    ),
    Statement(
        "root-r",
        "privacy",
        9,
        "A particle with Gaussian noise has the exact epsilon e at distance d and at a positive delta below"
        " the total variation. Then 100 such particles, each at most d from its counterpart, have epsilon 10"
        " e at the same delta.",
        "false",
        "The cloud has the exact epsilon of one particle at the distance 10 d, and epsilon is not linear in"
        " the distance: it has a part that grows with the square, so it exceeds 10 e.",
    ),
    Statement(
        "decrypted-result",
        "privacy",
        8,
        "The server adds encrypted weights and reads nothing. So a user who decrypts the result meant for"
        " him learns nothing about the weights of his neighbours.",
        "false",
        "He learns the sum of his neighbours' log-weights. It is one number, the same for all his particles,"
        " but with one neighbour of two particles it reveals her weights up to their order. Under sum-product"
        " with one neighbour he can solve for her weights.",
    ),
    Statement(
        "encrypted-product",
        "privacy",
        8,
        "By multiplying ciphertexts of Paillier's scheme and raising them to public powers, a server gets an"
        " encryption of the product of two encrypted numbers.",
        "false",
        "These operations give only sums with public coefficients, c0 + c1 a + c2 b modulo n, and no such sum"
        " equals the product for all a and b.",
    ),
    Statement(
        "gauss-pure",
        "privacy",
        9,
        "Gaussian noise on a position, with a standard deviation that is large enough, is epsilon-private"
        " with delta 0 for two different places.",
        "false",
        "The loss is linear in the output and so unbounded on either side, whatever the standard deviation"
        " is. For every epsilon there are outputs whose loss exceeds it, and delta is positive.",
    ),
    Statement(
        "two-over-epsilon",
        "privacy",
        12,
        "Independent Laplace noise of scale 2/epsilon on all counts of a set is epsilon-private, with delta"
        " 0, for one label that moves to another class.",
        "true",
        "Two counts change by 1 each, so the vectors of counts have the L1 distance 2, which determines the"
        " scale. (For a record that is added, the scale 1/epsilon is enough.)",
    ),
    Statement(
        "loss-is-delta",
        "privacy",
        12,
        "The smallest delta at a given epsilon is the probability of a privacy loss above epsilon.",
        "false",
        "That probability is large enough as a delta. The smallest delta subtracts e to the epsilon times the"
        " neighbour's probability of the same outputs, and is smaller; for Gaussian noise at every epsilon.",
    ),
    Statement(
        "adaptive-thresholds",
        "privacy",
        13,
        "Each cell answers only one threshold response with epsilon. If the curator chooses the threshold"
        " from the reports of earlier phases, more than epsilon is spent on the cell.",
        "false",
        "Given all earlier reports, the probability of the cell's report changes by a factor of at most e to"
        " the epsilon, and all other factors of the transcript's probability are the same for both contents.",
    ),
    Statement(
        "rr-best",
        "privacy",
        14,
        "Among all channels with epsilon-LDP for a cell, randomized response on all of its symbols has the"
        " largest Fisher information about the truth, whatever epsilon is.",
        "false",
        "For small epsilon it pays to merge symbols: with the threshold at the truth, the bit above or not"
        " has more information if e to the epsilon is less than 1 + 1/(1 - density).",
    ),
    Statement(
        "rounded-place",
        "privacy",
        15,
        "Move a place to the centre of its square on a public grid and add planar Laplace noise with epsilon"
        " per metre. This is geo-indistinguishable with epsilon per metre.",
        "needs a condition",
        "It holds for places that are such centres. Two places that are close to each other on both sides of"
        " a border have centres a whole side apart, so their loss is not proportional to their distance d; it"
        " is at most epsilon (d + side times square root of 2).",
    ),
    Statement(
        "twice-for-less",
        "privacy",
        16,
        "Two releases with independent coins are each epsilon-private for the same pair, epsilon > 0. If"
        " delta 0.1 is allowed, both together have a total epsilon below 2 epsilon, whatever the mechanisms"
        " are.",
        "true",
        "The smallest delta of the worst case is continuous in the total epsilon and reaches 0 exactly at"
        " 2 epsilon. So for every positive delta some smaller total is enough.",
    ),
    Statement(
        "mirrored",
        "estimates",
        1,
        "If every answer is multiplied by -1, every truth of Algorithm 1 is multiplied by -1, after any"
        " number of rounds.",
        "true",
        "By induction, weighted means and residuals change their sign, but squared residuals do not. So all"
        " standard deviations and weights are the same, and so is the floor.",
    ),
    Statement(
        "inverse-deviations",
        "estimates",
        1,
        "Independent unbiased answers have known, different standard deviations sigma. The weights 1/sigma"
        " give the weighted mean the smallest variance.",
        "false",
        "The weights 1/sigma^2 do. With the standard deviations 1 and 2, for instance, the smallest variance"
        " is 4/5, and weights 1/sigma give 8/9.",
    ),
    Statement(
        "only-answer",
        "estimates",
        1,
        "If only one worker answered a task, Algorithm 1 uses her answer as its truth, whatever the weights"
        " are.",
        "true",
        "A weighted mean of one number is that number, and no weight is 0. (Such a task is no evidence"
        " against her, as her residual there is 0.)",
    ),
    Statement(
        "passed-check",
        "estimates",
        2,
        "A Monte Carlo check of a formula has z = 0.3. So the formula is right.",
        "false",
        "An error of the formula that is small compared with the standard error goes unnoticed. Only errors"
        " of several standard errors would have been noticed; the number of draws determines how small such"
        " an error can be.",
    ),
    Statement(
        "lp-crowd",
        "estimates",
        3,
        "Take Laplace perturbation with uniform fill, equal weights and unbiased answers. As the number of"
        " workers grows, the mean of a column tends to the truth.",
        "needs a condition",
        "It tends to the truth plus (1 - density) times the difference between the middle of the domain and"
        " the truth. This is the truth if every cell is answered or the truth is the middle; otherwise the"
        " bias stays.",
    ),
    Statement(
        "rr-unbiased",
        "estimates",
        3,
        "Workers report by randomized response. For very many workers, the mean of the reports that are"
        " answers is the mean of the answers given.",
        "needs a condition",
        "Random reports are spread evenly over the domain, so the mean is pulled to the middle by a fixed"
        " share. It is right if the mean answer is the middle of the domain, and almost right for large"
        " epsilon.",
    ),
    Statement(
        "wrong-outputs",
        "estimates",
        3,
        "Randomized response over answers and NULL changes 1 % of the cells. So at most about 1 % of the"
        " outputs that are answers are wrong.",
        "false",
        "It depends on how many cells contain an answer. If 1 % do, about as many output answers come from"
        " empty cells as from answers that were kept, and about one half of the output answers are wrong.",
    ),
    Statement(
        "mf-reveals",
        "estimates",
        4,
        "Take matrix-factorization perturbation of rank d below the number of tasks, where all workers answer"
        " all tasks with centred errors. As the number of workers grows, the truths are revealed exactly.",
        "needs a condition",
        "The revealed truths tend to the projection of the truths onto the row space of V. It is exact only"
        " if the vector of truths lies in this space, as when V has a constant row and all truths are equal.",
    ),
    Statement(
        "one-more-voter",
        "estimates",
        5,
        "There are two choices and independent voters, and ties are broken by a fair coin. One more voter"
        " with an accuracy above one half never makes a plain majority err more often.",
        "false",
        "One voter of accuracy 0.9 errs in 10 %. With a second one of accuracy 0.6 a majority errs in 25 %,"
        " the mean of both errors, because they tie whenever they disagree.",
    ),
    Statement(
        "bad-worker",
        "estimates",
        5,
        "There are two equally likely choices, and accuracies are known. In the vote with the smallest error,"
        " a worker with an accuracy below one half gets the weight 0.",
        "false",
        "Her log-odds are negative: her answer counts for the other choice, just as that choice would count"
        " if a worker with one minus her accuracy gave it. Weight 0 is for accuracy one half.",
    ),
    Statement(
        "flipped-majority",
        "estimates",
        5,
        "There are two choices, one layer with a flip probability below one half, and independent users with"
        " the same accuracy above one half. As the number of users grows, the majority of the reports is"
        " right almost surely.",
        "true",
        "A report is right with probability 1/2 + (1 - 2p)(accuracy - 1/2), which is above one half, and"
        " reports are independent, so the law of large numbers applies. With flips, more users are needed,"
        " but the answer is right in the end.",
    ),
    Statement(
        "layers-discovered",
        "estimates",
        6,
        "Two layers with U(0, 2p) and one layer with p have the same expected error rate, not only under"
        " majority voting but also under truth discovery.",
        "needs a condition",
        "It holds for rules that decide each task by its own votes. Truth discovery weighs a user by all her"
        " answers, and these share a flip probability under two layers. There it holds if every user gives a"
        " single answer.",
    ),
    Statement(
        "bound-for-majority",
        "estimates",
        7,
        "Bhattacharyya's bound on the error of a vote holds for a plain majority as well, ties by a fair"
        " coin, if all accuracies are above one half.",
        "needs a condition",
        "It holds for equal accuracies (and any number of users, if a coin breaks ties), where the majority"
        " is the best vote. With accuracies 0.99, 0.51 and 0.51 the majority errs in 24.5 %, but the bound is"
        " 9.9 %.",
    ),
    Statement(
        "half-at-zero",
        "estimates",
        7,
        "There are two choices, and reports have epsilon 0 under one layer. Every rule that elects truths"
        " from them has the expected error rate 1/2.",
        "needs a condition",
        "It holds for rules that treat the choices equally, or if both truths are equally likely. A rule that"
        " always elects 0 is never wrong where 0 is the truth everywhere.",
    ),
    Statement(
        "size-falls",
        "estimates",
        8,
        "An update by a measurement never makes the effective size of a cloud larger.",
        "false",
        "Weights 0.9 and 0.1 with likelihoods in the ratio 1 to 9 become equal, and the effective size grows"
        " from 1.22 to 2. From equal weights it cannot grow.",
    ),
    Statement(
        "cancelled-weights",
        "estimates",
        9,
        "After the source's update a user's normalized weights are the same, whatever positive weights his"
        " neighbours have.",
        "true",
        "In the logarithm, a neighbour's weights add the same constant to all particles of the user, and"
        " normalizing removes it. Sum-product would depend on the weights.",
    ),
    Statement(
        "shifted-distance",
        "estimates",
        10,
        "The distance of two noisy positions is too large on average. Subtracting a suitable number, which"
        " may depend on the noise's standard deviation, makes it an unbiased estimate for all distances.",
        "false",
        "No function of the two noisy positions is unbiased: its mean is smooth in the true positions, but"
        " the distance has a kink at 0. For two users in one place the mean would have to be 0.",
    ),
    Statement(
        "counting-once",
        "estimates",
        10,
        "A classifier is not perfect, and its true positive rate is above its false positive rate. It counts"
        " without bias at exactly one share of class 1.",
        "true",
        "The mean count f + (t - f) times the share is linear with slope t - f below 1. At the ends it is f,"
        " at least 0, and t, at most 1. So it equals the share once: at f/(f + 1 - t), between 0 and 1.",
    ),
    Statement(
        "equal-means",
        "estimates",
        11,
        "If the classes' distributions are different, and the same in all sets, matching of mean embeddings"
        " with any kernel finds the proportions of an unlabelled set as all sets grow.",
        "needs a condition",
        "The classes' mean embeddings must be linearly independent, and the training sets' proportions must"
        " have full rank (or span the unlabelled ones). With the linear kernel two classes N(0, 1) and"
        " N(0, 4) have the same mean embedding, and nothing is found. An RBF kernel distinguishes them.",
    ),
    Statement(
        "split-sets",
        "estimates",
        12,
        "With mixing of classes, if a training set is split into two halves with the same proportions, the"
        " estimated class embeddings do not change.",
        "true",
        "They are sums over sets, weighted by size. Two halves with the same proportions have the same"
        " coefficients, and their means, weighted by size, add up to the mean of the whole set.",
    ),
    Statement(
        "projected-noise",
        "estimates",
        12,
        "Noise with mean 0 on proportions leaves them unbiased after projection onto the simplex.",
        "false",
        "The projection is not linear: near the edge it cuts negative shares and keeps positive errors. A"
        " share of 0 that gets symmetric noise has a positive mean afterwards.",
    ),
    Statement(
        "linear-noise",
        "estimates",
        12,
        "With mixing of sets (weights from the features only), independent noise with mean 0 on the sets'"
        " published proportions adds no bias to the matched proportions before they are projected.",
        "true",
        "The weights come from the features only, so the estimate is linear in the proportions, and the noise"
        " contributes a part with mean 0. (With mixing of classes, and more sets than classes, the noise is"
        " inside an inverse, which gives a bias.)",
    ),
    Statement(
        "likelihood-is-inversion",
        "estimates",
        13,
        "Under randomized response, if the inverted shares of reports are all non-negative, they are the most"
        " likely distribution of the cells.",
        "true",
        "They give every report exactly its observed share as probability, and no distribution of reports"
        " makes a sample likelier than its own shares. The inverted shares add up to 1, so they are a"
        " distribution.",
    ),
    Statement(
        "kind-at-truth",
        "estimates",
        14,
        "Errors are normal with mean 0 and not rounded, and those of careful workers are smaller. Both kinds"
        " of workers answer equally often. Of all thresholds, the one at the truth reveals most about a"
        " worker's kind.",
        "false",
        "At the truth an answer of either kind lies above with probability one half, so a report reveals"
        " nothing about the kind. That needs thresholds at some distance from the truth.",
    ),
    Statement(
        "many-choices",
        "estimates",
        15,
        "If the number of choices exceeds 3 e^epsilon + 2, optimized unary encoding estimates the frequency"
        " of a choice with a smaller variance than k-ary response, at every frequency.",
        "true",
        "k-ary response is better exactly below a certain number of choices. This number falls with the"
        " frequency, from 3 e^epsilon + 2 at frequency 0.",
    ),
    Statement(
        "unrejected",
        "estimates",
        16,
        "A test of label shift does not reject, however large the sets are. So the classes' distributions in"
        " the town are the same as in the training sets.",
        "false",
        "A town whose classes are mixtures of the known classes looks like label shift with another ratio."
        " No test that keeps its level can detect this.",
    ),
)
