"""What a report knows: frozen, plain data. Rendering comes later and adds nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sepal.data import Caution
from sepal.report._shown import Shown

UNEQUAL = 0.8  # share of the largest class, from which on figures are means over the classes


@dataclass(frozen=True)
class TableFacts:
    """What was given. ``kinds`` counts the columns of each kind; ``notes`` are cautions and conversions.

    ``cautions`` are those of the table, with their codes; their sentences stand among the notes.
    """

    name: str | None
    description: str | None
    n_rows: int
    n_columns: int
    kinds: dict[str, int]
    n_missing: int
    n_rows_with_missing: int
    target: str | None
    notes: tuple[str, ...]
    cautions: tuple[Caution, ...]
    citation: str | None
    licence: str | None


@dataclass(frozen=True)
class ClassFacts:
    """One class: its rows, their share, and the share of them whose nearest neighbour is of this class.

    ``chance`` is what random labels give for it, ``interval`` where it is on further rows of the class; see
    :class:`sepal.measures.ThorntonTest`. ``score`` is None if the rows are a sample and none of this class is in it.
    """

    label: Any
    n_rows: int
    share: float
    score: float | None
    chance: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class MajorityFacts:
    """The largest class, and how often it is right to answer with it always."""

    label: Any
    share: float


@dataclass(frozen=True)
class SettingsFacts:
    """How distances were taken and which rows took part.

    Attributes
    ----------
    asked_distance, distance : str
        What was asked for (``"auto"``, for instance), and what was used.
    n_dropped : int
        Rows left out because of missing cells; ``n_rows`` is what remained.
    n_asked : int
        Rows whose neighbours were looked up, among all ``n_rows``. Fewer than ``n_rows`` means a random sample.
    n_groups : int or None
        Groups whose rows were no neighbours of each other; None: every other row was one.
    """

    asked_distance: str
    distance: str
    scale: str | None
    missing: str
    ties: str
    n_rows: int
    n_dropped: int
    n_asked: int
    random_state: int
    notes: tuple[str, ...]
    n_groups: int | None = None

    @property
    def sampled(self) -> bool:
        """Whether only a sample of the rows was asked."""
        return self.n_asked < self.n_rows


@dataclass(frozen=True)
class ThorntonFacts:
    """Thornton's index and its test; the fields are those of :class:`sepal.measures.ThorntonTest`."""

    score: float
    interval: tuple[float, float]
    confidence: float
    chance: float
    corrected: float
    macro: float
    z: float | None
    p_value: float | None
    permutation_std: float | None
    permutation_p: float | None
    n_permutations: int


@dataclass(frozen=True)
class PartitionsFacts:
    """How rows in partitions were asked.

    Attributes
    ----------
    n_partitions, n_rows : int
        Rows in all partitions that take part.
    exact : bool
        Whether every row asked all others.
    rows_seen : int
        Rows that asked.
    interval : tuple of float
        Of Thornton's index.
    n_sampled : int
        Rows in the sample that the other sections are of.
    plan : str
        What was said before the work.
    seconds : float
        What Thornton's index took, the pass over the columns included.
    said : tuple of str
        Who asked whom, and what is of the sample, in sentences.
    recall : float or None
        Share of the neighbours that an approximate search found.
    """

    n_partitions: int
    n_rows: int
    exact: bool
    rows_seen: int
    interval: tuple[float, float]
    n_sampled: int
    plan: str
    seconds: float
    said: tuple[str, ...]
    recall: float | None = None


@dataclass(frozen=True)
class CurvePoint:
    """Exact mean accuracy at one training size, and how far one random split strays from it.

    The size is in ``train_groups``, and ``train_rows`` is None, where whole groups were drawn.
    """

    train_rows: int | None
    train_share: float
    accuracy: float
    split_std: float
    train_groups: int | None = None

    @property
    def train_size(self) -> int:
        """Rows or groups that train, whichever were drawn."""
        size = self.train_rows if self.train_groups is None else self.train_groups
        assert size is not None  # noqa: S101 - one of them is always there
        return size


@dataclass(frozen=True)
class CurveFacts:
    """Accuracy of k-NN over all random splits of ``n_rows`` rows.

    ``n_rows`` is smaller than the table where the splits are those of a random sample of it. The mean at a number of
    training rows is then an estimate of that of the whole table at the same number. ``n_groups`` is the number of
    groups where whole groups train or are tested, with those of their rows that are in the sample; else None.
    """

    k: int
    n_rows: int
    points: tuple[CurvePoint, ...]
    n_groups: int | None = None

    @property
    def units(self) -> str:
        """What is drawn: ``"rows"`` or ``"groups"``."""
        return "rows" if self.n_groups is None else "groups"


@dataclass(frozen=True)
class MarginFacts:
    """Five numbers of the normalized hypothesis margin over the rows that have one."""

    minimum: float
    lower_quartile: float
    median: float
    upper_quartile: float
    maximum: float
    n_negative: int
    n_checked: int


@dataclass(frozen=True)
class FeatureShare:
    """How many of the near-best subsets hold a feature."""

    name: str
    share: float


@dataclass(frozen=True)
class FeatureFacts:
    """Which features separate the classes, by Thornton's index of subsets of them.

    Attributes
    ----------
    strategy : str
        ``"every subset"``, or ``"forward"``: the best column, then the one that helps it most, and so on.
    n_rows : int
        Rows the subsets were scored on.
    n_subsets, n_near_best : int
        How many were scored, and how many of them the rows cannot tell from the best.
    best, smallest : tuple of str
        The best subset, and the smallest of those near it. Their scores are optimistic: they were picked for them.
    inclusion : tuple of FeatureShare
        In the order of the table.
    """

    strategy: str
    n_rows: int
    n_subsets: int
    n_near_best: int
    best: tuple[str, ...]
    best_score: float
    smallest: tuple[str, ...]
    smallest_score: float
    inclusion: tuple[FeatureShare, ...]


@dataclass(frozen=True)
class Verdict:
    """One sentence and the code of the rule that made it."""

    code: str
    text: str


@dataclass(frozen=True)
class ModelFacts:
    """What the classifier without choices reaches on rows that were left out.

    Attributes
    ----------
    name : str
    n_rows : int
        Rows it was fitted to; fewer than the table has where that is large.
    balanced : bool
        Whether every class counts alike: so it is where one class has nearly all rows. ``score`` and ``linear`` are
        then means over the classes.
    score, interval : float, tuple of float
        Share of right answers, and a 95 % interval for further rows.
    accuracy : float
        Share of all rows that were answered rightly.
    linear : float
        What a linear rule reaches in the same way.
    columns, columns_score, columns_interval
        Where a model of few columns is better on rows that took no part in selecting them: which, and what it reaches.
    shape : Verdict or None
        What follows about the boundary between the classes.
    """

    name: str
    n_rows: int
    balanced: bool
    score: float
    interval: tuple[float, float]
    accuracy: float
    linear: float
    columns: tuple[str, ...]
    columns_score: float | None
    columns_interval: tuple[float, float] | None
    shape: Verdict | None

    @property
    def best(self) -> tuple[float, tuple[float, float]]:
        """What the better of both models reaches, and its interval."""
        if self.columns_score is None or self.columns_interval is None:
            return self.score, self.interval
        return self.columns_score, self.columns_interval

    @property
    def learns(self) -> bool:
        """Whether it is measurably better than the largest class."""
        return self.shape is None or self.shape.code != "no_better_than_majority"


@dataclass(frozen=True)
class ColumnBeside:
    """A cell of a row, and what its neighbours have there."""

    name: str
    own: Any
    neighbors: str


@dataclass(frozen=True)
class RowBeside:
    """A row to look at: what says which row it is, and the columns in which it differs most from its neighbours."""

    row: int
    identifiers: dict[str, Any]
    columns: tuple[ColumnBeside, ...]


@dataclass(frozen=True)
class MeasureFacts(Shown):
    """All that ``sepal measure`` says. What a time limit did not allow is None, and ``skipped`` tells why.

    Attributes
    ----------
    table : TableFacts
        Rows, columns, kinds and missing cells of what was measured.
    classes : tuple of ClassFacts
        Rows, share and Thornton's index of each class.
    majority : MajorityFacts
        The largest class, and how often naming it always would be right.
    settings : SettingsFacts
        Distance, scaling and the rest that the figures depend on.
    thornton : ThorntonFacts
        Thornton's index with chance, test and interval.
    curve : CurveFacts or None
        The accuracy to expect for each training size.
    margins : MarginFacts or None
        How many rows lie nearer to another class than to their own.
    partitions : PartitionsFacts or None
        How they were asked where the rows came in partitions.
    skipped : dict
        For each part that is None because time was short: why.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> from sepal.report import measure_facts
    >>> facts = measure_facts(table, train_sizes=[0.5])
    >>> facts.thornton.score
    1.0
    """

    table: TableFacts
    classes: tuple[ClassFacts, ...]
    majority: MajorityFacts
    settings: SettingsFacts
    thornton: ThorntonFacts
    curve: CurveFacts | None
    margins: MarginFacts | None
    partitions: PartitionsFacts | None = None
    skipped: dict[str, str] = field(default_factory=dict)

    kind = "measure"

    def to_text(self, width: int = 80, *, color: bool = False, unicode: bool = True) -> str:
        """The measures as they stand on a terminal; parameters as in :meth:`Shown.to_text`."""
        from sepal.report._text import measure_text

        return measure_text(self, width, color=color, unicode=unicode)
