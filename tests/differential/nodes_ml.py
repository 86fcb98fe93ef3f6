"""Operators of ai.onnx.ml, and those of strings."""
from __future__ import annotations

import numpy as np
from onnx import TensorProto, helper

from draw import F16, F32, F64, I32, I64, TEXT, Draw, Unsuitable, generates, is_float, tensor_of

ML = "ai.onnx.ml"
# PROBIT is of scores between 0 and 1 only, which these are not.
POST = ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO"]


def reals(d: Draw, count: int, scale: float = 1.0) -> list[float]:
    return [float(np.float32(v)) for v in d.numbers.normal(size=count) * scale]


def features(d: Draw, low: int = 1, high: int = 6, name: str = "T") -> np.ndarray:
    d.calm()
    if name not in [c.type_param_str for c in d.schema.type_constraints]:
        name = "T1"
    n = d.rng.randint(low, high)
    rows = d.pick([0, 1, 1, 3, 7, 40])
    return d.give(d.array((n,) if d.chance(0.05) else (rows, n), d.type(name)), constant=False)


def label_lists(d: Draw, count: int, integers: str, strings: str) -> None:
    if d.chance(0.5):
        d.set(**{integers: [k * 2 - 1 for k in range(count)]})
    else:
        d.set(**{strings: [f"label{k}" for k in range(count)]})


@generates("ArrayFeatureExtractor", domain=ML)
def array_feature_extractor(d: Draw) -> None:
    x = features(d)
    d.give(d.numbers.integers(0, x.shape[-1], (d.pick([1, 2, 4]),)), dtype=I64)
    d.how = "exact"


@generates("Binarizer", domain=ML)
def binarizer(d: Draw) -> None:
    d.give(d.array(d.shape(1, 3), d.type("T")), constant=False)
    d.maybe(threshold=d.pick([0.0, 0.5, -1.0]))
    d.how = "exact"


@generates("CategoryMapper", domain=ML)
def category_mapper(d: Draw) -> None:
    t = d.type("T1")
    d.set(cats_int64s=[0, 1, 2, 5], cats_strings=["a", "b", "ab", ""])
    d.give(d.array(d.shape(0, 2), t, "plain"), constant=False)
    d.maybe(default_int64=9, default_string="none")
    d.how = "exact"


@generates("LabelEncoder", domain=ML)
def label_encoder(d: Draw) -> None:
    t, to = d.type("T1"), d.type("T2")
    if d.since == 1:
        if (t == TEXT) == (to == TEXT):
            raise Unsuitable("one of them is text")
        d.set(classes_strings=["a", "b", "ab"])
    else:
        def listed(dtype, side: str) -> None:
            n = 4
            kind = "strings" if dtype == TEXT else "floats" if dtype == F32 else "int64s" if dtype == I64 else "tensor"
            if side == "keys":
                values = ["a", "b", "ab", "é"] if dtype == TEXT else [1.0, 2.0, -3.0, float("nan") if d.chance(0.3) else 4.0] if is_float(dtype) else [1, 2, -3, 4]
            else:
                values = ["one", "", "three", "a"] if dtype == TEXT else [0.5, -1.0, 7.0, 3.0] if is_float(dtype) else [5, -1, 7, 0]
            if kind == "tensor" or d.since >= 4 and d.chance(0.3):
                d.set(**{f"{side}_tensor": tensor_of(np.array(values[:n], dtype), side)})
            else:
                d.set(**{f"{side}_{kind}": values})
        listed(t, "keys"), listed(to, "values")
    if d.chance(0.5):
        if to == TEXT:
            d.set(default_string="other")
        elif to == I64 and (d.since == 1 or "values_int64s" in d.attributes):
            d.set(default_int64=77)
        elif to == F32 and "values_floats" in d.attributes:
            d.set(default_float=-7.5)
        elif d.since >= 4:
            d.set(default_tensor=tensor_of(np.array([7], to), "default"))
    x = d.array(d.shape(0, 2), t, "plain")
    if t != TEXT:
        x = np.round(x.astype(np.float64)).astype(t)
    d.give(x, constant=False)
    d.how = "exact"


@generates("FeatureVectorizer", domain=ML)
def feature_vectorizer(d: Draw) -> None:
    d.calm()
    t, rows = d.type("T1"), d.rng.randint(1, 4)
    widths = [d.rng.randint(1, 4) for _ in range(d.rng.randint(1, 3))]
    for w in widths:
        d.give(d.array((rows, w), t))
    d.set(inputdimensions=widths)


@generates("Imputer", domain=ML)
def imputer(d: Draw) -> None:
    x = features(d)
    t, n = x.dtype, x.shape[-1]
    count = d.pick([1, n])
    if is_float(t):
        d.set(imputed_value_floats=reals(d, count))
        missing = d.pick([float("nan"), 0.0, 1.5])
        d.set(replaced_value_float=missing)
        d.inputs[0].value = np.where(d.numbers.random(x.shape) < 0.3, np.array(missing, t), x)
    else:
        d.set(imputed_value_int64s=[int(v) for v in d.numbers.integers(-9, 9, count)], replaced_value_int64=d.pick([0, 1, -3]))
    d.how = "exact"


@generates("LinearClassifier", "LinearRegressor", domain=ML)
def linear(d: Draw) -> None:
    x = features(d)
    n, classes = x.shape[-1], d.rng.randint(1, 4)
    d.maybe(0.7, post_transform=d.pick(POST))
    if d.op == "LinearRegressor":
        d.set(coefficients=reals(d, n * classes), targets=classes)
        d.maybe(intercepts=reals(d, classes))
        d.how = "sum"
        return
    label_lists(d, max(2, classes), "classlabels_ints", "classlabels_strings")
    d.set(coefficients=reals(d, n * classes), intercepts=reals(d, classes))
    d.maybe(0.3, multi_class=d.pick([0, 1]))
    d.outputs, d.how, d.loose = [True, True], "sum", 10


@generates("Normalizer", "Scaler", domain=ML)
def scaling(d: Draw) -> None:
    x = features(d)
    if d.op == "Normalizer":
        d.maybe(norm=d.pick(["MAX", "L1", "L2"]))
    else:
        count = d.pick([1, x.shape[-1]])
        d.set(offset=reals(d, count), scale=reals(d, count))
    d.how = "sum"


@generates("OneHotEncoder", domain=ML)
def one_hot_encoder(d: Draw) -> None:
    t = d.type("T")
    if t == TEXT:
        d.set(cats_strings=["a", "b", "ab"])
    else:
        d.set(cats_int64s=[0, 1, 2, -3])
    zeros = d.pick([None, 1, 0])
    d.set(zeros=zeros)
    x = d.array(d.shape(1, 2), t, "plain")
    if is_float(t):
        x = np.round(x.astype(np.float64)).astype(t)
    if zeros == 0:
        x = np.array(["a", "b", "ab"] if t == TEXT else [0, 1, 2], t)
    d.give(x, constant=False)
    d.how = "exact"


@generates("SVMRegressor", "SVMClassifier", domain=ML)
def svm(d: Draw) -> None:
    x = features(d, 2, 5)
    n, rows = x.shape[-1], d.rng.randint(2, 6)
    kernel = d.pick(["LINEAR", "POLY", "RBF", "SIGMOID"])
    d.set(kernel_type=kernel, kernel_params=[0.3, 0.5, 2.0])
    d.maybe(0.4, post_transform=d.pick(POST))
    d.how, d.loose = "sum", 20
    if d.op == "SVMRegressor":
        d.set(support_vectors=reals(d, n * rows), coefficients=reals(d, rows), rho=reals(d, 1), n_supports=rows)
        d.maybe(0.2, one_class=d.pick([0, 1]))
        return
    classes = d.rng.randint(2, 4)
    per = [d.rng.randint(1, 3) for _ in range(classes)]
    pairs = classes * (classes - 1) // 2
    label_lists(d, classes, "classlabels_ints", "classlabels_strings")
    d.set(support_vectors=reals(d, n * sum(per)), vectors_per_class=per, coefficients=reals(d, sum(per) * (classes - 1)), rho=reals(d, pairs))
    if d.chance(0.4):
        d.set(prob_a=[-1.0 - 0.1 * k for k in range(pairs)], prob_b=reals(d, pairs, 0.1))
    d.outputs = [True, True]


def random_tree(d: Draw, features_count: int, depth: int, modes: list[str]):
    """Lists of nodes: (mode, feature, value, yes, no, tracks)."""
    nodes: list[list] = []

    def grow(level: int) -> int:
        at = len(nodes)
        nodes.append(None)
        if level == 0 or d.chance(0.2) and level < depth:
            nodes[at] = ["LEAF", 0, 0.0, 0, 0, 0]
            return at
        node = [d.pick(modes), d.rng.randrange(features_count), float(np.float32(d.pick([d.rng.normalvariate(0, 1.5), float(d.rng.randint(-2, 2))]))), 0, 0, int(d.chance(0.3))]
        nodes[at] = node
        node[3] = grow(level - 1)
        node[4] = grow(level - 1)
        return at
    grow(depth)
    return nodes


@generates("TreeEnsembleClassifier", "TreeEnsembleRegressor", domain=ML)
def trees(d: Draw) -> None:
    x = features(d, 1, 6)
    if x.ndim == 1:
        x = d.inputs[0].value = x.reshape(1, -1)
    if is_float(x.dtype) and d.chance(0.3):
        x = d.inputs[0].value = np.where(d.numbers.random(x.shape) < 0.2, np.array(np.nan, x.dtype), x)
    modes = ["BRANCH_LEQ"] if d.chance(0.4) else ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"]
    classifier = d.op == "TreeEnsembleClassifier"
    targets = d.pick([1, 2, 2, 3, 4]) if not classifier else d.pick([2, 2, 3, 4])
    prefix = "class" if classifier else "target"
    lists: dict[str, list] = {k: [] for k in ("treeids", "nodeids", "modes", "featureids", "values", "truenodeids", "falsenodeids", "tracks")}
    votes: dict[str, list] = {k: [] for k in ("treeids", "nodeids", "ids", "weights")}
    single = classifier and targets == 2 and d.chance(0.5)
    only = d.pick([0, 1])
    every = not single and d.chance(0.7)  # each leaf votes for all, so that no row lacks a vote
    if single or not every and targets > 1:
        d.notes.append("#partial")
    for tree in range(d.pick([1, 2, 5, 20])):
        for k, (mode, feature, value, yes, no, track) in enumerate(random_tree(d, x.shape[-1], d.rng.randint(0 if d.chance(0.1) else 1, 4), modes)):
            for key, v in zip(lists, (tree, k, mode, feature, value, yes, no, track)):
                lists[key].append(v)
            if mode == "LEAF":
                count = targets if every else d.rng.randint(1, targets)
                for target in ([only] if single else sorted(d.rng.sample(range(targets), count))):
                    for key, v in zip(votes, (tree, k, target, float(np.float32(d.rng.normalvariate(0, 1))))):
                        votes[key].append(v)
    if classifier and d.chance(0.5):
        votes["weights"] = [abs(w) for w in votes["weights"]]
    if any(m in ("BRANCH_EQ", "BRANCH_NEQ") for m in lists["modes"]):
        d.notes.append("#equality")
    tracks = lists.pop("tracks")
    d.set(**{f"nodes_{k}": v for k, v in lists.items()})
    d.maybe(0.5, nodes_missing_value_tracks_true=tracks)
    d.set(**{f"{prefix}_{k}": v for k, v in votes.items()})
    d.maybe(0.5, post_transform=d.pick(POST))
    if d.since >= 3 and x.dtype == F64 and d.chance(0.5):
        for k in ("nodes_values", f"{prefix}_weights"):
            d.attributes[k + "_as_tensor"] = tensor_of(np.array(d.attributes.pop(k), np.float64), k)
    elif d.chance(0.3):
        d.set(base_values=reals(d, targets))
    if classifier:
        label_lists(d, targets, "classlabels_int64s", "classlabels_strings")
        if targets == 2:
            d.notes.append("#two")
        d.outputs = [True, True]
    else:
        d.set(n_targets=targets)
        d.maybe(0.5, aggregate_function=d.pick(["SUM", "AVERAGE", "MIN", "MAX"]))
    d.how, d.loose = "sum", 10


@generates("TreeEnsemble", domain=ML)
def tree_ensemble(d: Draw) -> None:
    d.calm()
    t = d.type("T", [F32, F64, F16])
    count = d.rng.randint(1, 5)
    d.give(d.array((d.pick([1, 3, 9]), count), t), constant=False)
    targets = d.rng.randint(1, 3)
    inner, leaves, roots, sets = [], [], [], []
    modes = [0, 1, 2, 3, 4, 5] + ([6] if d.chance(0.4) else [])

    def grow(level: int) -> tuple[int, int]:
        if level == 0:
            leaves.append((d.rng.randrange(targets), d.rng.normalvariate(0, 1)))
            return len(leaves) - 1, 1
        at = len(inner)
        mode = d.pick(modes)
        inner.append([mode, d.rng.randrange(count), d.rng.normalvariate(0, 1), 0, 0, 0, 0])
        inner[at][3], inner[at][4] = grow(level - 1 - (level > 1 and d.chance(0.2)))
        inner[at][5], inner[at][6] = grow(level - 1)
        return at, 0
    for _ in range(d.rng.randint(1, 4)):
        roots.append(grow(d.rng.randint(1, 3))[0])
    for node in inner:
        if node[0] == 6:
            sets += [float(v) for v in d.rng.sample(range(-4, 5), 3)] + [float("nan")]
    if sets:
        d.inputs[0].value = np.round(d.inputs[0].value.astype(np.float64)).astype(t)
    columns = list(zip(*inner))
    d.set(n_targets=targets, tree_roots=roots, nodes_modes=tensor_of(np.array(columns[0], np.uint8), "m"), nodes_featureids=list(columns[1]),
          nodes_splits=tensor_of(np.array(columns[2], t), "s"), nodes_truenodeids=list(columns[3]), nodes_trueleafs=list(columns[4]),
          nodes_falsenodeids=list(columns[5]), nodes_falseleafs=list(columns[6]), leaf_targetids=[v[0] for v in leaves],
          leaf_weights=tensor_of(np.array([v[1] for v in leaves], t), "w"))
    if sets:
        d.set(membership_values=tensor_of(np.array(sets, t), "v"))
    d.maybe(0.4, nodes_missing_value_tracks_true=[d.pick([0, 1]) for _ in inner])
    d.maybe(0.5, post_transform=d.pick([0, 1, 2, 3]), aggregate_function=d.pick([0, 1, 2, 3]))
    if sets:
        d.notes.append("#member")
    if targets > 1:
        d.notes.append("#partial")  # a leaf votes for one target
    d.how, d.loose = "sum", 10


@generates("ZipMap", domain=ML)
def zip_map(d: Draw) -> None:
    d.calm()
    n = d.rng.randint(1, 4)
    d.give(d.array((d.rng.randint(1, 4), n), F32), constant=False)
    label_lists(d, n, "classlabels_int64s", "classlabels_strings")
    d.how = "exact"


@generates("DictVectorizer", domain=ML)
def dict_vectorizer(d: Draw) -> None:
    keys: list = d.pick([["a", "b", "ab", "zz"], [1, 2, -3, 9]])
    t = d.pick([F32, F64] + ([I64] if isinstance(keys[0], str) else []))
    d.set(**{"string_vocabulary" if isinstance(keys[0], str) else "int64_vocabulary": keys[:3]})
    subset = d.rng.sample(keys, d.rng.randint(1, 4))
    values = {k: t.type(v) for k, v in zip(subset, d.array((4,), t, "plain"))}
    key_type = TensorProto.STRING if isinstance(keys[0], str) else TensorProto.INT64
    elem = helper.make_tensor_type_proto(helper.np_dtype_to_tensor_dtype(t), None)
    d.give(values, type_proto=helper.make_map_type_proto(key_type, elem))
    d.how = "exact"


@generates("CastMap", domain=ML)
def cast_map(d: Draw) -> None:
    text = d.chance(0.4)
    keys = d.rng.sample(range(0, 9), d.rng.randint(1, 5))
    values = {k: d.pick(["1.5", "-2", "3"]) if text else np.float32(d.rng.normalvariate(0, 2)) for k in keys}
    d.maybe(0.8, cast_to=d.pick(["TO_FLOAT", "TO_INT64"]))
    if d.chance(0.5):
        d.set(map_form="SPARSE", max_map=12)
    elem = helper.make_tensor_type_proto(TensorProto.STRING if text else TensorProto.FLOAT, None)
    d.give(values, type_proto=helper.make_map_type_proto(TensorProto.INT64, elem))
    d.how = "exact"


# Strings

@generates("StringConcat")
def string_concat(d: Draw) -> None:
    for shape in d.pair(0, 3):
        d.give(d.array(shape, TEXT))
    d.how = "exact"


@generates("StringSplit")
def string_split(d: Draw) -> None:
    words = ["a b c", "", " a  b ", "x,y,z", ",a,,b", "one", "日本 語", "a\tb\nc", "  "]
    shape = d.shape(0, 2, most=20)
    d.give(np.array([d.pick(words) for _ in range(int(np.prod(shape)))], object).reshape(shape), constant=False)
    d.maybe(delimiter=d.pick([",", " ", "", "a"]), maxsplit=d.pick([0, 1, 2]))
    d.outputs, d.how = [True, True], "exact"


@generates("RegexFullMatch")
def regex(d: Draw) -> None:
    d.give(d.array(d.shape(0, 2), TEXT), constant=False)
    d.set(pattern=d.pick(["a+", "[a-z]*", ".", "(a|b)+", "A b", "\\w\\W?\\w", "x,y|é", "[^a]+", "a{1,2}", ""]))
    d.how = "exact"


@generates("StringNormalizer")
def string_normalizer(d: Draw) -> None:
    words = ["Monday", "tuesday", "", "A", "é", "ÉCOLE", "monday", "STRASSE"]
    n = d.rng.randint(1, 6)
    d.give(np.array([d.pick(words) for _ in range(n)], object).reshape((n,) if d.chance(0.6) else (1, n)), constant=False)
    d.maybe(case_change_action=d.pick(["LOWER", "UPPER", "NONE"]), is_case_sensitive=d.pick([0, 1]))
    d.maybe(stopwords=d.pick([["monday"], ["Monday", "A"], [""]]))
    d.how = "exact"


@generates("TfIdfVectorizer")
def tf_idf(d: Draw) -> None:
    text = d.chance(0.5)
    pool: list = ["a", "b", "ab", "é"] if text else [1, 2, 3, 4]
    ones = pool[:d.rng.randint(1, 4)]
    pairs = [d.pick(pool) for _ in range(2 * d.rng.randint(0, 3))]
    if len({tuple(pairs[k:k + 2]) for k in range(0, len(pairs), 2)}) * 2 != len(pairs):
        raise Unsuitable("no pair twice")
    grams = len(ones) + len(pairs) // 2
    order = list(range(grams))
    d.rng.shuffle(order)
    d.set(min_gram_length=d.pick([1, 1, 2]), max_gram_length=2, max_skip_count=d.rng.randint(0, 3), mode=d.pick(["TF", "IDF", "TFIDF"]),
          ngram_counts=[0, len(ones)], ngram_indexes=order)
    d.set(**{"pool_strings" if text else "pool_int64s": ones + pairs})
    d.maybe(weights=reals(d, grams))
    shape = d.shape(1, 2, empty=False, most=60)
    values = np.array([d.pick(pool + (["zz"] if text else [9])) for _ in range(int(np.prod(shape)))], TEXT if text else d.pick([I32, I64])).reshape(shape)
    d.give(values, constant=False)
    d.how = "sum"


_ = (F16,)
