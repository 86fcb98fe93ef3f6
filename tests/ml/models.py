"""About 60 models of scikit-learn, LightGBM and XGBoost, fitted on small data of fixed seeds."""
from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from sklearn import (calibration, cluster, compose, decomposition, discriminant_analysis, ensemble, feature_extraction, feature_selection,
                     gaussian_process, impute, linear_model, mixture, naive_bayes, neighbors, neural_network, pipeline, preprocessing, svm, tree)


@dataclass
class Case:
    """inputs: columns by name (one matrix is `x`); expected: what scikit-learn says of the outputs, in their order."""
    name: str
    model: object
    inputs: dict[str, np.ndarray]
    expected: list[np.ndarray]
    options: dict = field(default_factory=dict)     # of the converter
    tolerance: float = 1e-4
    inner: dict[int, dict] = field(default_factory=dict)   # options of models within it, by identity


Data = tuple[np.ndarray, np.ndarray, np.ndarray]    # features and targets to fit, features to predict


def data(kind: str, seed: int = 1, features: int = 6, rows: int = 300) -> Data:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows + 60, features)).astype(np.float32)
    score = x[:, 0] * 1.5 - x[:, 1] + np.sin(2 * x[:, 2]) + 0.3 * rng.normal(size=rows + 60)
    if kind == "binary":
        y = (score > 0).astype(np.int64)
    elif kind == "classes":
        y = np.digitize(score, [-1, 1]).astype(np.int64)
    elif kind == "names":
        y = np.array(["low", "middle", "high"])[np.digitize(score, [-1, 1])]
    elif kind == "counts":
        x, y = np.abs(np.round(2 * x)), np.digitize(score, [-1, 1]).astype(np.int64)
    else:
        y = score if kind == "numbers" else np.stack([score, -0.5 * score + x[:, 3]], 1)
    return x[:rows], y[:rows], x[rows:]


def classifier(name: str, model, kind: str = "binary", scores: str = "predict_proba", **more) -> Case:
    x, y, new = data(kind)
    model.fit(x, y)
    outputs = [model.predict(new), getattr(model, scores)(new)]
    options = {"raw_scores": True} if scores == "decision_function" else {}
    if not isinstance(model, (svm.LinearSVC, mixture.GaussianMixture)):
        options["zipmap"] = False
    return Case(name, model, {"x": new}, outputs, options, **more)


def regressor(name: str, model, kind: str = "numbers", **more) -> Case:
    x, y, new = data(kind)
    model.fit(x, y)
    return Case(name, model, {"x": new}, [model.predict(new)], **more)


def transformer(name: str, model, kind: str = "numbers", change: Callable[[np.ndarray], np.ndarray] = lambda x: x, **more) -> Case:
    x, y, new = data(kind)
    model.fit(change(x), y)
    return Case(name, model, {"x": change(new)}, [model.transform(change(new))], **more)


def holes(x: np.ndarray) -> np.ndarray:
    x = x.copy()
    x[::7, 1] = np.nan
    x[::5, 3] = np.nan
    return x


def isolation() -> Case:
    x, _, new = data("numbers")
    model = ensemble.IsolationForest(n_estimators=30, random_state=1).fit(x)
    new = np.concatenate([new, new[:10] * 4])
    return Case("IsolationForest", model, {"x": new}, [model.predict(new), model.decision_function(new)])


def clusters(name: str, model) -> Case:
    x, _, new = data("numbers")
    model.fit(x)
    return Case(name, model, {"x": new}, [model.predict(new), model.transform(new)])


def mixed() -> tuple[dict[str, np.ndarray], dict[str, np.ndarray], np.ndarray]:
    rng = np.random.default_rng(3)
    def table(rows: int) -> dict[str, np.ndarray]:
        return {"age": rng.normal(40, 10, (rows, 1)).astype(np.float32), "income": rng.lognormal(3, 1, (rows, 1)).astype(np.float32),
                "town": rng.choice(["Ulm", "Köln", "Bonn"], (rows, 1)).astype(object), "size": rng.choice(["S", "M", "L"], (rows, 1)).astype(object)}
    fit, new = table(300), table(60)
    y = ((fit["age"][:, 0] > 40) ^ (fit["town"][:, 0] == "Ulm")).astype(np.int64)
    return fit, new, y


def columns(name: str, transformer, numbers, texts) -> Case:
    """A table of numbers and strings."""
    fit, new, y = mixed()
    split = compose.ColumnTransformer([("numbers", numbers, [0, 1]), ("texts", texts, [2, 3])])
    model = pipeline.make_pipeline(split, transformer)
    rows = np.concatenate([v.astype(object) for v in fit.values()], 1)
    expected = np.concatenate([v.astype(object) for v in new.values()], 1)
    model.fit(rows, y)
    return Case(name, model, new, [model.predict(expected), model.predict_proba(expected)], {"zipmap": False})


def ordinal() -> Case:
    fit, new, _ = mixed()
    fit_columns, expected = (np.concatenate([t["town"], t["size"]], 1) for t in (fit, new))
    model = preprocessing.OrdinalEncoder(dtype=np.float32).fit(fit_columns)
    return Case("OrdinalEncoder of strings", model, {"x": expected}, [model.transform(expected)])


def hot() -> Case:
    fit, new, _ = mixed()
    fit_columns, expected = (np.concatenate([t["town"], t["size"]], 1) for t in (fit, new))
    expected[0, 0] = "Rom"
    model = preprocessing.OneHotEncoder(handle_unknown="ignore", sparse_output=False, dtype=np.float32).fit(fit_columns)
    return Case("OneHotEncoder of strings", model, {"x": expected}, [model.transform(expected)])


def labels() -> Case:
    fit, new, _ = mixed()
    model = preprocessing.LabelEncoder().fit(fit["town"][:, 0])
    return Case("LabelEncoder of strings", model, {"x": new["town"]}, [model.transform(new["town"][:, 0])])


def hot_integers() -> Case:
    rng = np.random.default_rng(5)
    fit, new = (rng.integers(0, 5, (n, 2)) for n in (100, 40))
    model = preprocessing.OneHotEncoder(sparse_output=False, handle_unknown="ignore", dtype=np.float32).fit(fit)
    return Case("OneHotEncoder of integers", model, {"x": new}, [model.transform(new)])


SENTENCES = ["the cat sat on the mat", "a dog and a cat", "the dog chased the ball", "rain falls on the town", "snow falls in the winter town",
             "a cold winter", "the ball is red", "red cat blue dog", "sun and rain", "the sun is cold in winter"]


def texts(name: str, vectorizer, classifier=None) -> Case:
    """Words are what stands between spaces: patterns need an operator of ONNX Runtime's own, with RE2."""
    words = {"separators": [" "], "tokenexp": None, "locale": "C"}
    y = np.array([0, 0, 0, 1, 1, 1, 0, 0, 1, 1])
    new = np.array(["the red cat", "winter rain and snow", "nothing known here", "dog dog ball sun", "the the the cat sat on"], object)
    model = pipeline.make_pipeline(vectorizer, classifier) if classifier is not None else vectorizer
    model.fit(SENTENCES, y)
    if classifier is None:
        expected = [np.asarray(model.transform(new).todense())]
        return Case(name, model, {"x": new.reshape(-1, 1)}, expected, words)
    return Case(name, model, {"x": new.reshape(-1, 1)}, [model.predict(new), model.predict_proba(new)], {"zipmap": False}, inner={id(vectorizer): words})


def base_trees() -> list[Callable[[], Case]]:
    t, e = tree, ensemble
    return [
        lambda: classifier("DecisionTreeClassifier", t.DecisionTreeClassifier(max_depth=6, random_state=1)),
        lambda: classifier("DecisionTreeClassifier of names", t.DecisionTreeClassifier(random_state=1), "names"),
        lambda: regressor("DecisionTreeRegressor", t.DecisionTreeRegressor(random_state=1)),
        lambda: regressor("DecisionTreeRegressor of two targets", t.DecisionTreeRegressor(max_depth=5, random_state=1), "pairs"),
        lambda: classifier("ExtraTreeClassifier", t.ExtraTreeClassifier(random_state=1), "classes"),
        lambda: classifier("RandomForestClassifier", e.RandomForestClassifier(41, random_state=1)),
        lambda: classifier("RandomForestClassifier of three", e.RandomForestClassifier(40, max_depth=7, random_state=1), "classes"),
        lambda: regressor("RandomForestRegressor", e.RandomForestRegressor(40, random_state=1)),
        lambda: classifier("ExtraTreesClassifier", e.ExtraTreesClassifier(30, random_state=1), "names"),
        lambda: regressor("ExtraTreesRegressor", e.ExtraTreesRegressor(30, random_state=1)),
        lambda: classifier("GradientBoostingClassifier", e.GradientBoostingClassifier(n_estimators=40, random_state=1)),
        lambda: classifier("GradientBoostingClassifier of three", e.GradientBoostingClassifier(n_estimators=20, random_state=1), "classes"),
        lambda: regressor("GradientBoostingRegressor", e.GradientBoostingRegressor(n_estimators=60, random_state=1)),
        lambda: classifier("HistGradientBoostingClassifier", e.HistGradientBoostingClassifier(max_iter=40, random_state=1)),
        lambda: classifier("HistGradientBoostingClassifier of three", e.HistGradientBoostingClassifier(max_iter=20, random_state=1), "classes"),
        lambda: regressor("HistGradientBoostingRegressor", e.HistGradientBoostingRegressor(max_iter=40, random_state=1)),
        lambda: classifier("AdaBoostClassifier", e.AdaBoostClassifier(n_estimators=20, random_state=1), "classes"),
        lambda: regressor("AdaBoostRegressor", e.AdaBoostRegressor(n_estimators=20, random_state=1)),
        lambda: classifier("BaggingClassifier", e.BaggingClassifier(t.DecisionTreeClassifier(max_depth=4), 10, random_state=1)),
        isolation,
    ]


def vectors_and_lines() -> list[Callable[[], Case]]:
    s, m = svm, linear_model
    return [
        lambda: classifier("SVC, rbf, with probabilities", calibration.CalibratedClassifierCV(s.SVC(), cv=3)),
        lambda: classifier("SVC, polynomial, scores of three", s.SVC(kernel="poly", degree=2), "classes", "decision_function"),
        lambda: classifier("SVC, sigmoid", s.SVC(kernel="sigmoid"), "classes", "decision_function"),
        lambda: classifier("NuSVC", s.NuSVC(nu=0.3), "names", "decision_function"),
        lambda: classifier("LinearSVC", s.LinearSVC(random_state=1), "classes", "decision_function"),
        lambda: regressor("SVR", s.SVR()),
        lambda: regressor("NuSVR, linear", s.NuSVR(kernel="linear")),
        lambda: regressor("LinearSVR", s.LinearSVR(random_state=1)),
        lambda: regressor("LinearRegression", m.LinearRegression()),
        lambda: regressor("LinearRegression of two targets", m.LinearRegression(), "pairs"),
        lambda: regressor("Ridge", m.Ridge()),
        lambda: regressor("Lasso", m.Lasso(alpha=0.01)),
        lambda: regressor("ElasticNet", m.ElasticNet(alpha=0.01)),
        lambda: regressor("BayesianRidge", m.BayesianRidge()),
        lambda: regressor("HuberRegressor", m.HuberRegressor()),
        lambda: regressor("SGDRegressor", m.SGDRegressor(random_state=1)),
        lambda: classifier("LogisticRegression", m.LogisticRegression()),
        lambda: classifier("LogisticRegression of names", m.LogisticRegression(), "names"),
        lambda: classifier("SGDClassifier", m.SGDClassifier(loss="log_loss", random_state=1), "classes"),
        lambda: classifier("Perceptron", m.Perceptron(random_state=1), "classes", "decision_function"),
        lambda: classifier("RidgeClassifier", m.RidgeClassifier(), "classes", "decision_function"),
        lambda: classifier("LinearDiscriminantAnalysis", discriminant_analysis.LinearDiscriminantAnalysis(), "classes"),
        lambda: classifier("QuadraticDiscriminantAnalysis", discriminant_analysis.QuadraticDiscriminantAnalysis(), "classes", tolerance=1e-3),
    ]


def neighbours_and_others() -> list[Callable[[], Case]]:
    n, g = neighbors, gaussian_process
    return [
        lambda: classifier("KNeighborsClassifier", n.KNeighborsClassifier(5)),
        lambda: classifier("KNeighborsClassifier of names", n.KNeighborsClassifier(3), "names"),
        lambda: regressor("KNeighborsRegressor", n.KNeighborsRegressor(4)),
        lambda: classifier("GaussianNB", naive_bayes.GaussianNB(), "classes", tolerance=1e-3),
        lambda: classifier("MultinomialNB", naive_bayes.MultinomialNB(), "counts"),
        lambda: classifier("BernoulliNB", naive_bayes.BernoulliNB(), "classes"),
        lambda: classifier("MLPClassifier", neural_network.MLPClassifier(hidden_layer_sizes=(12, 8), max_iter=200, random_state=1), "classes"),
        lambda: regressor("MLPRegressor", neural_network.MLPRegressor(hidden_layer_sizes=(16,), activation="tanh", max_iter=200, random_state=1)),
        lambda: regressor("GaussianProcessRegressor", g.GaussianProcessRegressor(g.kernels.RBF(2.0, "fixed"), alpha=0.1), tolerance=1e-3),
        lambda: clusters("KMeans", cluster.KMeans(4, n_init=2, random_state=1)),
        lambda: clusters("MiniBatchKMeans", cluster.MiniBatchKMeans(3, n_init=2, random_state=1)),
        lambda: classifier("GaussianMixture", mixture.GaussianMixture(3, random_state=1), tolerance=1e-3),
        lambda: classifier("VotingClassifier", ensemble.VotingClassifier([("a", linear_model.LogisticRegression()), ("b", tree.DecisionTreeClassifier(max_depth=4))],
                                                                         voting="soft", flatten_transform=False), "classes"),
        lambda: classifier("StackingClassifier", ensemble.StackingClassifier([("a", linear_model.LogisticRegression()), ("b", tree.DecisionTreeClassifier(max_depth=4))])),
        lambda: regressor("StackingRegressor", ensemble.StackingRegressor([("a", linear_model.Ridge()), ("b", tree.DecisionTreeRegressor(max_depth=4))])),
        lambda: classifier("CalibratedClassifierCV", calibration.CalibratedClassifierCV(naive_bayes.GaussianNB(), cv=3), "classes", tolerance=1e-3),
    ]


def preparations() -> list[Callable[[], Case]]:
    p, encoder = preprocessing, preprocessing.OneHotEncoder
    return [
        lambda: transformer("StandardScaler", p.StandardScaler()),
        lambda: transformer("MinMaxScaler, clipped", p.MinMaxScaler(clip=True)),
        lambda: transformer("RobustScaler", p.RobustScaler()),
        lambda: transformer("Normalizer", p.Normalizer("l2")),
        lambda: transformer("Binarizer", p.Binarizer(threshold=0.2)),
        lambda: transformer("PolynomialFeatures", p.PolynomialFeatures(3)),
        lambda: transformer("KBinsDiscretizer", p.KBinsDiscretizer(4, encode="ordinal", strategy="uniform")),
        lambda: transformer("PowerTransformer", p.PowerTransformer(), tolerance=1e-3),
        lambda: transformer("SimpleImputer", impute.SimpleImputer(strategy="median"), change=holes),
        lambda: transformer("KNNImputer", impute.KNNImputer(n_neighbors=3), change=holes),
        lambda: transformer("SelectKBest", feature_selection.SelectKBest(k=3), "classes"),
        lambda: transformer("PCA", decomposition.PCA(3)),
        lambda: transformer("TruncatedSVD", decomposition.TruncatedSVD(3, random_state=1)),
        ordinal, hot, hot_integers, labels,
        lambda: classifier("scaler, polynomials, logistic", pipeline.make_pipeline(p.StandardScaler(), p.PolynomialFeatures(2), linear_model.LogisticRegression(max_iter=500)), "classes"),
        lambda: regressor("imputer, scaler, forest", pipeline.make_pipeline(impute.SimpleImputer(), p.MinMaxScaler(), ensemble.RandomForestRegressor(20, random_state=1))),
        lambda: columns("a table, logistic", linear_model.LogisticRegression(max_iter=500), p.StandardScaler(), encoder(handle_unknown="ignore")),
        lambda: columns("a table, forest", ensemble.RandomForestClassifier(20, random_state=1), impute.SimpleImputer(), encoder(handle_unknown="ignore")),
        lambda: texts("TfidfVectorizer", feature_extraction.text.TfidfVectorizer()),
        lambda: texts("CountVectorizer of pairs", feature_extraction.text.CountVectorizer(ngram_range=(1, 2))),
        lambda: texts("TfidfVectorizer, logistic", feature_extraction.text.TfidfVectorizer(), linear_model.LogisticRegression()),
    ]


def boosters() -> list[Callable[[], Case]]:
    """Only where their packages are."""
    makers: list[Callable[[], Case]] = []
    try:
        import lightgbm
        quiet = {"verbose": -1, "random_state": 1, "n_estimators": 30}
        makers += [lambda: classifier("LGBMClassifier", lightgbm.LGBMClassifier(**quiet)),
                   lambda: classifier("LGBMClassifier of three", lightgbm.LGBMClassifier(**quiet), "classes"),
                   lambda: regressor("LGBMRegressor", lightgbm.LGBMRegressor(**quiet))]
    except ImportError:
        pass
    try:
        import xgboost
        few = {"n_estimators": 30, "max_depth": 4, "random_state": 1, "n_jobs": 1}
        makers += [lambda: classifier("XGBClassifier", xgboost.XGBClassifier(**few)),
                   lambda: classifier("XGBClassifier of three", xgboost.XGBClassifier(**few), "classes"),
                   lambda: regressor("XGBRegressor", xgboost.XGBRegressor(**few))]
    except ImportError:
        pass
    return makers


def all_models() -> list[Callable[[], Case]]:
    warnings.simplefilter("ignore")
    return base_trees() + vectors_and_lines() + neighbours_and_others() + preparations() + boosters()
