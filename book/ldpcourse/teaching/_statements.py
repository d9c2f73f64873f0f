"""What an exam asks about: statements that are true, false, or true under a condition not named."""

from dataclasses import dataclass

VERDICTS = ("true", "false", "needs a condition")
TOPICS = ("privacy", "estimates")


@dataclass(frozen=True)
class Statement:
    """What is said, where it belongs, and for who grades, whether it holds and why."""

    name: str
    topic: str
    week: int  # from which on it can be asked
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
        "The two sets of pairs are different. Perturb answers and leave NULL as it is: for a NULL-value pair"
        " the output NULL occurs under one of the two only, so no finite epsilon holds.",
    ),
    Statement(
        "exact-sum",
        "privacy",
        2,
        "Two mechanisms with independent coins have the exact epsilons a and b for the same pair. Together"
        " they have the exact epsilon a + b for it.",
        "needs a condition",
        "a + b is an upper bound. It is exact if both largest losses are attained in the same direction, as"
        " with randomized response, whose losses are symmetric. A mechanism whose loss is largest from the"
        " first content to the second and one where it is largest the other way round give less.",
    ),
    Statement(
        "rounded-output",
        "privacy",
        2,
        "A curator who rounds what an epsilon-LDP mechanism released, and then guesses the answer from it by"
        " whatever rule, has still seen no more than epsilon-LDP allows.",
        "true",
        "Post-processing: a function of the output, random or not, that does not look at the answer again"
        " can only merge outputs, and a ratio of sums is at most the largest ratio of the summands.",
    ),
    Statement(
        "epsilon-zero",
        "privacy",
        2,
        "One cell passes through a mechanism whose exact epsilon is 0 for all pairs of contents. Then no"
        " output changes the belief about the content of anybody who knows nothing of the mechanism's coins.",
        "true",
        "Every output has the same probability, or density, under all contents; by Bayes' rule the belief"
        " after it is the belief before, whatever that was.",
    ),
    Statement(
        "audit-refutes",
        "privacy",
        2,
        "In 2,000 runs for each of two contents somebody finds an event for which Clopper and Pearson's"
        " limits, at 95 % together, give epsilon at least 0.3. So with an error probability of at most 5 %"
        " the claim of 0.2-LDP is refuted.",
        "needs a condition",
        "The limits of Clopper and Pearson hold for an event that was chosen without looking at the samples"
        " in which it is counted, which are independent. Here it was looked for in them: among enough outputs"
        " there is such an event even if the mechanism ignores its input.",
    ),
    Statement(
        "central-to-local",
        "privacy",
        2,
        "What a curator publishes is epsilon-differentially private for the replacement of one worker's row."
        " So each worker is protected from the curator with epsilon.",
        "false",
        "The central promise is about what is published; the curator has seen all rows as they are. The"
        " converse holds, for worker pairs and independent coins.",
    ),
    Statement(
        "own-mean-fill",
        "privacy",
        3,
        "Three tasks or more. Laplace perturbation stays epsilon-cell LDP, NULL included, if every worker"
        " fills her empty cells with the mean of her own answers, which lies in the domain too; a worker"
        " without answers fills the middle.",
        "false",
        "The fill now depends on the answers: one cell changes the fill of all empty cells of the row, and"
        " the losses of these outputs add up. With a single answer, changed from one end to the other, and"
        " n - 1 empty cells the exact epsilon is n times that of a cell.",
    ),
    Statement(
        "rows-of-k",
        "privacy",
        3,
        "Randomized response over answers and NULL with epsilon: two rows that differ in k cells have the"
        " exact epsilon k times epsilon.",
        "true",
        "Cells are perturbed independently, so losses add up; in each of the k cells the output that equals"
        " the first row's content has the loss epsilon, and all k of them occur together.",
    ),
    Statement(
        "mf-counts",
        "privacy",
        4,
        "Matrix-factorization perturbation is private for values. So whoever sees a worker's profile cannot"
        " tell how many tasks she answered.",
        "false",
        "That would need NULL-value pairs, which are not protected: the spread of the noise in the profile"
        " falls with the number of answers, and there are profiles at which the ratio of densities exceeds"
        " every bound.",
    ),
    Statement(
        "mf-fill",
        "privacy",
        4,
        "If NULL is replaced by a public constant before matrix-factorization perturbation with its noise of"
        " scale (number of possible answers)/epsilon, then NULL-value pairs have epsilon too.",
        "needs a condition",
        "The constant must lie in the domain, or at least no farther from any answer than the number of"
        " possible answers; a constant far outside moves the noisy sum by more than the noise is made for.",
    ),
    Statement(
        "more-flips",
        "privacy",
        5,
        "One layer: the more often answers are flipped, the smaller is epsilon of a cell.",
        "needs a condition",
        "Only up to the flip probability 1 - 1/s on s choices, where epsilon is 0; beyond it, epsilon rises"
        " again, and an answer that is always flipped tells what it is not, on two choices everything.",
    ),
    Statement(
        "shared-coin",
        "privacy",
        6,
        "Two layers: a user draws her flip probability once and flips each answer with a coin of its own. All"
        " reports are released. So the exact epsilon of one of her cells does not depend on how many answers"
        " she gives.",
        "false",
        "The other outputs tell about the shared flip probability. In the interval from 0.1 to 0.5, on two"
        " choices, a single answer has 0.847 and many tend to ln 9 = 2.197.",
    ),
    Statement(
        "two-layer-ceiling",
        "privacy",
        6,
        "Two choices, flip probabilities from U(a, b) with 0 < a < b < 1/2: however many answers a user"
        " gives, the exact epsilon of one cell stays below ln((1 - a)/a).",
        "true",
        "Given p the loss of an output is at most ln((1 - p)/p) in size, at most ln((1 - a)/a); probabilities"
        " are means over p, and strictly between as p is not constant. It is the limit for many answers.",
    ),
    Statement(
        "worker-by-cells",
        "privacy",
        6,
        "Two layers on two choices with U(a, b), a < b < 1/2, and k answers, k at least 2: the whole worker"
        " has exactly k times the epsilon of one answer under one layer with the mean flip probability.",
        "false",
        "The flips of a row share one probability, so the row's probabilities are means of products: no flip"
        " at all and all flips both become likelier, the latter relatively more, and the ratio is smaller.",
    ),
    Statement(
        "root-r",
        "privacy",
        9,
        "A particle with Gaussian noise has the exact epsilon e at distance d and a positive delta below the"
        " total variation. Then 100 such particles, each at most d from its counterpart, have 10 e at the"
        " same delta.",
        "false",
        "The cloud has the exact epsilon of one particle at the distance 10 d, and epsilon is not linear in"
        " the distance: it has a part that grows with the square, so that it is more than 10 e.",
    ),
    Statement(
        "decrypted-result",
        "privacy",
        8,
        "The server adds encrypted weights and reads nothing. So a user who decrypts the result meant for"
        " him learns nothing about the weights of his neighbours.",
        "false",
        "He learns the sum of his neighbours' log-weights: one number, the same for all his particles, but"
        " not nothing (with one neighbour of two particles, her weights up to their order). Under sum-product"
        " with one neighbour he can solve for her weights.",
    ),
    Statement(
        "encrypted-product",
        "privacy",
        8,
        "By multiplying ciphertexts of Paillier's scheme and raising them to public powers, a server gets an"
        " encryption of the product of two encrypted numbers.",
        "false",
        "These operations lead to sums with public coefficients, c0 + c1 a + c2 b modulo n, and to nothing"
        " else; no such sum equals the product for all a and b.",
    ),
    Statement(
        "gauss-pure",
        "privacy",
        9,
        "Gaussian noise on a position, with a deviation large enough, is epsilon-private with delta 0 for"
        " two different places.",
        "false",
        "The loss is linear in the output and so without bound on either side, whatever the deviation; for"
        " every epsilon there are outputs whose ratio of densities exceeds it, and delta is positive.",
    ),
    Statement(
        "two-over-epsilon",
        "privacy",
        12,
        "Independent Laplace noise of scale 2/epsilon on all counts of a set is epsilon-private, with delta"
        " 0, for one label that moves to another class.",
        "true",
        "Two counts change by 1 each, so the distance of the vectors of counts is 2 in the sum of absolute"
        " values, which is what the scale has to be made for. (For a record that is added 1/epsilon is"
        " enough.)",
    ),
    Statement(
        "loss-is-delta",
        "privacy",
        12,
        "The least delta at a given epsilon is the probability of a privacy loss above epsilon.",
        "false",
        "That probability is enough, but the least delta takes e to the epsilon times the neighbour's"
        " probability of the same outputs off; it is smaller, for Gaussian noise at every epsilon.",
    ),
    Statement(
        "adaptive-thresholds",
        "privacy",
        13,
        "Each cell answers one threshold response with epsilon, all in all. If the curator chooses its"
        " threshold from the reports of earlier phases, more than epsilon is spent on the cell.",
        "false",
        "Given all that was said before, the report of the cell changes its probability by a factor of at"
        " most e to the epsilon, and all other factors of the transcript's probability are the same for both"
        " contents.",
    ),
    Statement(
        "rr-best",
        "privacy",
        14,
        "Among all channels with epsilon-LDP for a cell, randomized response on all of its symbols has the"
        " largest Fisher information about the truth, whatever epsilon is.",
        "false",
        "For small epsilon it pays to merge symbols: with the threshold at the truth, the bit above or not"
        " has more as long as e to the epsilon is less than 1 + 1/(1 - density).",
    ),
    Statement(
        "rounded-place",
        "privacy",
        15,
        "Move a place to the centre of its square on a public grid and add planar Laplace noise with epsilon"
        " a metre. This is geo-indistinguishable with epsilon a metre.",
        "needs a condition",
        "For places that are such centres it is. Two places near each other on both sides of a border have"
        " centres a whole side apart, so their loss is not in proportion to their distance; it is at most"
        " epsilon (d + side times root 2).",
    ),
    Statement(
        "twice-for-less",
        "privacy",
        16,
        "Two releases with independent coins are each epsilon-private for the same pair, epsilon > 0. If"
        " delta 0.1 is allowed, a total below 2 epsilon holds for both together, whatever the mechanisms"
        " are.",
        "true",
        "The least delta of the worst case is continuous in the total and reaches 0 just at 2 epsilon; so for"
        " every positive delta some smaller total will do.",
    ),
    Statement(
        "mirrored",
        "estimates",
        1,
        "If every answer is multiplied by -1, every truth of Algorithm 1 is multiplied by -1, after any"
        " number of rounds.",
        "true",
        "By induction: weighted means change their sign, residuals too, their squares do not, so all"
        " deviations and weights are the same, and with them the floor.",
    ),
    Statement(
        "inverse-deviations",
        "estimates",
        1,
        "Independent unbiased answers with known, different deviations: the weights 1/sigma give the"
        " weighted mean the least variance.",
        "false",
        "1/sigma^2 does. With the deviations 1 and 2, for instance, the least variance is 4/5, that of"
        " weights 1/sigma 8/9.",
    ),
    Statement(
        "only-answer",
        "estimates",
        1,
        "If a task was answered by one worker only, Algorithm 1 takes her answer for its truth, whatever the"
        " weights are.",
        "true",
        "A weighted mean of one number is that number; no weight is 0. (The task then says nothing against"
        " her: her residual there is 0.)",
    ),
    Statement(
        "passed-check",
        "estimates",
        2,
        "A Monte Carlo check of a formula has z = 0.3. So the formula is right.",
        "false",
        "An error of the formula that is small against the standard error goes unseen; only errors of"
        " several standard errors would have been noticed. The number of draws says how small an error that"
        " is.",
    ),
    Statement(
        "lp-crowd",
        "estimates",
        3,
        "Laplace perturbation with uniform fill, equal weights, unbiased answers: as the number of workers"
        " grows, the mean of a column tends to the truth.",
        "needs a condition",
        "It tends to the truth plus (1 - density) times the distance to the middle of the domain: to the"
        " truth if every cell is answered or the truth is the middle, and else the bias stays.",
    ),
    Statement(
        "rr-unbiased",
        "estimates",
        3,
        "The mean of randomized response's reports that are answers is, for very many workers, the mean of"
        " the answers given.",
        "needs a condition",
        "Chance reports are spread evenly over the domain, so the mean is pulled to the middle by a fixed"
        " share; it is right if the mean answer is the middle of the domain, and nearly for large epsilon.",
    ),
    Statement(
        "wrong-outputs",
        "estimates",
        3,
        "Randomized response over answers and NULL changes 1 % of the cells. So at most about 1 % of the"
        " outputs that are answers are wrong.",
        "false",
        "It depends on how many cells hold an answer: of cells of which 1 % do, as many answers come from"
        " empty cells as were given and kept, and about one half of the answers in the output are wrong.",
    ),
    Statement(
        "mf-reveals",
        "estimates",
        4,
        "Matrix-factorization perturbation of rank d below the number of tasks; all workers answer all"
        " tasks, with centred errors. As the workers become many, the truths are revealed exactly.",
        "needs a condition",
        "The truths tend to their projection on the row space of V: exact if the vector of truths lies in"
        " it, as when V has a constant row and all truths are the same, and else not.",
    ),
    Statement(
        "one-more-voter",
        "estimates",
        5,
        "Two choices, independent voters, ties by a fair coin: one more voter with an accuracy above one"
        " half never makes a plain majority err more often.",
        "false",
        "One voter of accuracy 0.9 errs in 10 %; with a second one of accuracy 0.6 a majority errs in 25 %,"
        " the mean of both errors, for they tie whenever they disagree.",
    ),
    Statement(
        "bad-worker",
        "estimates",
        5,
        "Two choices, equally likely, known accuracies: in the vote that errs least, a worker with an"
        " accuracy below one half gets the weight 0.",
        "false",
        "Her log-odds are negative: what she says counts for the other choice, just as the answer of a"
        " worker with one minus her accuracy would count for it. Weight 0 is for accuracy one half.",
    ),
    Statement(
        "flipped-majority",
        "estimates",
        5,
        "Two choices, one layer with a flip probability below one half, independent users with the same"
        " accuracy above one half: as users become many, the majority of the reports is right almost surely.",
        "true",
        "A report is right with 1/2 + (1 - 2p)(accuracy - 1/2), which is above one half, and reports are"
        " independent: the law of large numbers. Flips cost users, not the answer in the end.",
    ),
    Statement(
        "layers-discovered",
        "estimates",
        6,
        "Two layers with U(0, 2p) and one layer with p have the same expected error rate, not only under"
        " majority voting but also under truth discovery.",
        "needs a condition",
        "It holds for rules that decide each task by its own votes. Truth discovery weighs a user by all her"
        " answers, and these share a flip probability under two layers; it holds if every user gives a"
        " single answer.",
    ),
    Statement(
        "bound-for-majority",
        "estimates",
        7,
        "Bhattacharyya's bound on the error of a vote holds for a plain majority as well, ties by a fair"
        " coin, if all accuracies are above one half.",
        "needs a condition",
        "It holds for equal accuracies (any number of users, if ties go by a coin), where the majority is the"
        " best vote. With accuracies 0.99, 0.51 and 0.51 the majority errs in 24.5 %, and the bound is"
        " 9.9 %.",
    ),
    Statement(
        "half-at-zero",
        "estimates",
        7,
        "Two choices, reports with epsilon 0 under one layer: every rule that elects truths from them has"
        " the expected error rate 1/2.",
        "needs a condition",
        "It holds for rules that treat the choices alike, or if both truths are equally likely. A rule that"
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
        "After the source's update a user's normalised weights are the same whatever positive weights his"
        " neighbours have.",
        "true",
        "In the logarithm a neighbour's weights add the same constant to all particles of the user, and"
        " normalising takes it away; sum-product would depend on them.",
    ),
    Statement(
        "shifted-distance",
        "estimates",
        10,
        "The distance of two noisy positions is too large on average. Subtracting a suitable number, which"
        " may depend on the noise's deviation, makes it an unbiased estimate for all distances.",
        "false",
        "No function of the two positions is unbiased: the mean of one is smooth in the true positions, and"
        " the distance has a kink at 0. For two users in one place the mean would have to be 0.",
    ),
    Statement(
        "counting-once",
        "estimates",
        10,
        "A classifier with a true positive rate above its false positive rate, not perfect, counts without"
        " bias at exactly one share of class 1.",
        "true",
        "The mean count f + (t - f) times the share is linear with slope t - f below 1, f at least 0 and t"
        " at most 1 at the ends, so it meets the share itself once: at f/(f + 1 - t), between 0 and 1.",
    ),
    Statement(
        "equal-means",
        "estimates",
        11,
        "Matching of mean embeddings finds the proportions of an unlabelled set, as all sets grow, with every"
        " kernel, if the classes' laws are different and the same in all sets.",
        "needs a condition",
        "The classes' mean embeddings must be linearly independent, and the training sets' proportions must"
        " have full rank (or span the unlabelled ones). With the linear kernel two classes N(0, 1) and"
        " N(0, 4) have the same mean, and nothing is found. An RBF kernel tells them apart.",
    ),
    Statement(
        "split-sets",
        "estimates",
        12,
        "Mixing classes: if a training set is split into two halves with the same proportions, the estimated"
        " class embeddings do not change.",
        "true",
        "They are sums over sets, weighted by size; two halves with the same proportions have the same"
        " coefficients, and their means, weighted by size, add up to the mean of the whole set.",
    ),
    Statement(
        "projected-noise",
        "estimates",
        12,
        "Noise with mean 0 on proportions leaves them unbiased after projection on the simplex.",
        "false",
        "The projection is not linear: near the edge it cuts negative shares and keeps positive errors. A"
        " share of 0 that gets symmetric noise has a positive mean afterwards.",
    ),
    Statement(
        "linear-noise",
        "estimates",
        12,
        "Mixing sets (weights from the features only): independent noise with mean 0 on the sets' published"
        " proportions adds no bias to the matched proportions, before their own projection.",
        "true",
        "The weights come from the features only, so the estimate is linear in the proportions, and the mean"
        " of the noise's part is 0. (Mixing classes, with more sets than classes, has the noise inside"
        " an inverse, and a bias.)",
    ),
    Statement(
        "likelihood-is-inversion",
        "estimates",
        13,
        "Randomized response: if the inverted shares of reports are all non-negative, they are the most"
        " likely law of the cells.",
        "true",
        "They give every report just the probability that it was observed with, and no law of reports makes"
        " a sample likelier than its own shares; the inverted shares add up to 1, so they are a law.",
    ),
    Statement(
        "kind-at-truth",
        "estimates",
        14,
        "Errors are normal with mean 0, not rounded, and of careful workers smaller; both kinds answer"
        " equally often. Of all thresholds, the one at the truth tells most about a worker's kind.",
        "false",
        "At the truth an answer of either kind lies above with probability one half, so a report says"
        " nothing about the kind; that needs thresholds some way off.",
    ),
    Statement(
        "many-choices",
        "estimates",
        15,
        "If the number of choices exceeds 3 e^epsilon + 2, optimized unary encoding estimates the frequency"
        " of a choice with a smaller variance than k-ary response, at every frequency.",
        "true",
        "k-ary response is better exactly below a number of choices that falls with the frequency, from"
        " 3 e^epsilon + 2 at frequency 0.",
    ),
    Statement(
        "unrejected",
        "estimates",
        16,
        "A test of label shift does not reject, however large the sets. So the classes are in the town as"
        " they were in the training sets.",
        "false",
        "A town whose classes are mixtures of the known classes looks like label shift with another ratio:"
        " no test that keeps its level can see it.",
    ),
)
